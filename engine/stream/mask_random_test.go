package stream

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// maskWhole masks a text without regard to cost: at each byte the longest value
// that begins there is replaced. In a stream it ends where the rest may still
// become a value, and returns the rest.
func maskWhole(list []Secret, text string, stream bool) (out, rest string) {
	for text != "" {
		if stream && beginning(list, text) != "" {
			return out, text
		}
		best := Secret{Value: text[:1]}
		for _, s := range list {
			if strings.HasPrefix(text, s.Value) && (best.Name == "" || len(s.Value) > len(best.Value)) {
				best = s
			}
		}
		if best.Name == "" {
			out += best.Value
		} else {
			out += "[masked:" + best.Name + "]"
		}
		text = text[len(best.Value):]
	}
	return out, ""
}

// beginning returns the name of the first value that has text as a beginning
// and goes on.
func beginning(list []Secret, text string) string {
	for _, s := range list {
		if len(s.Value) > len(text) && strings.HasPrefix(s.Value, text) {
			return s.Name
		}
	}
	return ""
}

// streamWhole masks a stream that ends.
func streamWhole(list []Secret, text string) string {
	out, rest := maskWhole(list, text, true)
	if len(rest) < MinSecret {
		return out + rest
	}
	for _, s := range list {
		if s.Value == rest {
			return out + "[masked:" + s.Name + "]"
		}
	}
	return out + "[masked:" + beginning(list, rest) + "]"
}

type tester interface {
	Helper()
	Fatalf(string, ...any)
}

// checkPieces compares a Masker of s, which is made of list, with maskWhole after
// each piece of a stream.
func checkPieces(t tester, list []Secret, s *Secrets, pieces ...string) {
	t.Helper()
	m, text, got := s.NewMasker(), "", ""
	for _, piece := range pieces {
		p := []byte(piece)
		text, got = text+piece, got+string(m.Write(p))
		if out, rest := maskWhole(list, text, true); got != out || string(m.Held()) != rest {
			t.Fatalf("%q, %q:\n got %q, held %q\nwant %q, held %q", list, pieces, got, m.Held(), out, rest)
		}
	}
	if got, want := got+string(m.Close()), streamWhole(list, text); got != want {
		t.Fatalf("%q, %q:\n got %q\nwant %q", list, pieces, got, want)
	}
}

var letters = rapid.SampledFrom([]string{"a", "b", "\n"})

func drawWord(t *rapid.T, shortest, longest int) string {
	return strings.Join(rapid.SliceOfN(letters, shortest, longest).Draw(t, "word"), "")
}

// drawSecrets draws values of which some are parts of others or have parts of
// them.
func drawSecrets(t *rapid.T) ([]Secret, *Secrets) {
	longest := rapid.SampledFrom([]int{12, 12, 60}).Draw(t, "longest")
	values := []string{drawWord(t, MinSecret, longest)}
	for range rapid.IntRange(0, 4).Draw(t, "more") {
		v := rapid.SampledFrom(values).Draw(t, "from") + drawWord(t, 0, 4)
		start := rapid.IntRange(0, len(v)-MinSecret).Draw(t, "start")
		end := rapid.IntRange(start+MinSecret, len(v)).Draw(t, "end")
		if whole := rapid.Bool().Draw(t, "whole"); whole {
			end = len(v)
		}
		values = append(values, drawWord(t, 0, 3)+v[start:end])
	}
	list := secretsOf(values...)
	s, err := NewSecrets(list)
	if err != nil {
		t.Fatal(err)
	}
	return list, s
}

// drawText draws a text of at most max bytes that is mostly made of parts of the
// values.
func drawText(t *rapid.T, list []Secret, max int) string {
	text := ""
	for range rapid.IntRange(0, max/4).Draw(t, "parts") {
		v := rapid.SampledFrom(list).Draw(t, "part").Value
		start := rapid.IntRange(0, len(v)-1).Draw(t, "start")
		end := rapid.IntRange(start, len(v)).Draw(t, "end")
		text += rapid.SampledFrom([]string{v, v[start:], v[:end], v[start:end], drawWord(t, 0, 3)}).Draw(t, "piece")
	}
	return text[:min(len(text), max)]
}

// cut cuts text behind each byte whose bit is set.
func cut(text string, bits func(int) bool) []string {
	var pieces []string
	start := 0
	for i := range len(text) {
		if bits(i) {
			pieces, start = append(pieces, text[start:i+1]), i+1
		}
	}
	return append(pieces, text[start:])
}

func TestMaskerAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, s := drawSecrets(t)
		text := drawText(t, list, 100)
		cuts := rapid.SliceOfN(rapid.IntRange(0, 3), len(text), len(text)).Draw(t, "cuts")
		checkPieces(t, list, s, cut(text, func(i int) bool { return cuts[i] == 0 })...)
		checkPieces(t, list, s, text)
		if want, _ := maskWhole(list, text, false); s.Mask(text) != want {
			t.Fatalf("%q, %q:\n got %q\nwant %q", list, text, s.Mask(text), want)
		}
	})
}

func TestMaskerAgreesWithOracleHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, s := drawSecrets(t)
		text := drawText(t, list, 11)
		want := streamWhole(list, text)
		for bits := range 1 << max(0, len(text)-1) {
			pieces := cut(text, func(i int) bool { return bits>>i&1 == 1 })
			if got := maskPieces(s.NewMasker(), pieces...); got != want {
				t.Fatalf("%q, %q:\n got %q\nwant %q", list, pieces, got, want)
			}
		}
	})
}

var maskPattern = regexp.MustCompile(`\[masked:[A-Z]\]`)

// No value is left whole, however values overlap: not in what a Masker returns,
// and not in what it would have returned had the stream ended there.
func TestNoWholeValueIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, s := drawSecrets(t)
		text := drawText(t, list, 200)
		for _, out := range []string{s.Mask(text), maskPieces(s.NewMasker(), text)} {
			for _, left := range maskPattern.Split(out, -1) {
				if found := s.Find([]byte(left)); found != nil {
					t.Fatalf("%q: %q has %q in %q", list, text, found, out)
				}
			}
		}
	})
}

func FuzzMasker(f *testing.F) {
	f.Add("secret\x00secret-1\x00my-secret-12", "a secret-my-secret-1secret-1", uint64(0b100100))
	f.Add("abcabc\x00bcabcd\x00cabcabcabx", "abcabcabcabcabcabx", uint64(1<<63))
	f.Add("aaaaaa\x00aaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", uint64(5))
	f.Add("-----BEGIN\nab\n\x00\xff\xfe\xfd\xfc\xfb\xfa", "x-----BEGIN\nab\n\xff\xfe\xfd\xfc\xfb\xfa\xff", ^uint64(0))
	f.Fuzz(func(t *testing.T, values, text string, cuts uint64) {
		if len(values)+len(text) > 1<<10 {
			return // the oracle takes too long
		}
		list := secretsOf(strings.Split(values, "\x00")...)
		s, err := NewSecrets(list)
		if err != nil {
			return
		}
		if got, _ := maskWhole(list, text, false); got != s.Mask(text) {
			t.Errorf("%q, %q:\n got %q\nwant %q", list, text, s.Mask(text), got)
		}
		checkPieces(t, list, s, cut(text, func(i int) bool { return cuts>>(i%64)&1 == 1 })...)
	})
}
