package stream

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

// maskPieces writes pieces to a Masker. Each piece is overwritten as soon as
// what Write returned is read, as a reader does that has one buffer.
func maskPieces(m *Masker, pieces ...string) string {
	var out strings.Builder
	for _, piece := range pieces {
		p := []byte(piece)
		out.Write(m.Write(p))
		for i := range p {
			p[i] = '!'
		}
	}
	out.Write(m.Close())
	return out.String()
}

// secretsOf names values A, B, C and so on.
func secretsOf(values ...string) []Secret {
	var list []Secret
	for i, v := range values {
		list = append(list, Secret{string(rune('A' + i)), v})
	}
	return list
}

func TestMask(t *testing.T) {
	values := func(v ...string) []string { return v }
	for _, tt := range []struct {
		name   string
		values []string
		text   string
		want   string
		closed string // where the end of a stream differs
	}{
		{"none", values("secret-1"), "some text, secret- 1", "some text, secret- 1", ""},
		{"alone", values("secret-1"), "secret-1", "[masked:A]", ""},
		{"several", values("secret-1", "another-2"), "-secret-1another-2secret-1.", "-[masked:A][masked:B][masked:A].", ""},
		{"prefix of another", values("secret", "secret-1"), "secret secret-1 secret-2", "[masked:A] [masked:B] [masked:A]-2", ""},
		{"prefix of another, at the end", values("secret", "secret-1"), "a secret", "a [masked:A]", ""},
		{"prefix of another, and a beginning of it", values("secret", "secret-11"), "secret-1", "[masked:A]-1", "[masked:B]"},
		{"longer one given first", values("secret-11", "secret"), "secret-11 secret", "[masked:A] [masked:B]", ""},
		{"suffix of another", values("secret", "my-secret"), "my-secret, secret", "[masked:B], [masked:A]", ""},
		{"infix of another", values("secret", "my-secret-1"), "my-secret-1 my-secret-2", "[masked:B] my-[masked:A]-2", ""},
		{"two infixes of another", values("secret", "public", "a-secret,public,secret!"),
			"a-secret,public,secret?", "a-[masked:A],[masked:B],[masked:A]?", ""},
		{"infix at the end", values("secret", "my-secret-1"), "my-secret", "my-[masked:A]", "[masked:B]"},
		{"itself, overlapping", values("abcabc"), "abcabcabc", "[masked:A]abc", ""},
		{"itself, over and over", values("aaaaaa"), strings.Repeat("a", 17), "[masked:A][masked:A]aaaaa", ""},
		{"another, overlapping", values("abcdef", "efghij"), "abcdefghij", "[masked:A]ghij", ""},
		{"another, overlapping, on its own too", values("abcdef", "efghij"), "abcdefghijefghij", "[masked:A]ghij[masked:B]", ""},
		{"suffix of an overlapping one", values("abcdef", "efsecret", "secret"), "abcdefsecret", "[masked:A][masked:C]", ""},
		{"suffix of an overlapping one, within another", values("abcdef", "efsecret", "secret", "abcdefsecret!"),
			"abcdefsecret?", "[masked:A][masked:C]?", ""},
		{"beginning that overlaps what is replaced", values("abcdef", "defghijkl"), "abcdefghijkl", "[masked:A]ghijkl", ""},
		{"beginning of itself in itself", values("aabaaab"), "aabaabaaab", "aab[masked:A]", ""},
		{"same value", values("secret-1", "secret-1"), "secret-1", "[masked:A]", ""},
		{"lines", values("-----BEGIN\nab\ncd\n"), "x\n-----BEGIN\nab\ncd\n\n", "x\n[masked:A]\n", ""},
		{"bytes that are no text", values("\xff\xfe\xfd\x80\xc3\n"), "é\xff\xfe\xfd\x80\xc3\n\xc3", "é[masked:A]\xc3", ""},
		{"NUL around it", values("secret-1"), "\x00secret-1\x00", "\x00[masked:A]\x00", ""},
		{"cut off, too short to tell", values("secret-1"), "a secre", "a secre", ""},
		{"cut off", values("secret-1"), "a secret", "a secret", "a [masked:A]"},
		{"cut off, of two", values("secret-two", "secret-one"), "a secret-", "a secret-", "a [masked:A]"},
		{"cut off behind a whole one", values("secret-1"), "secret-1secret-", "[masked:A]secret-", "[masked:A][masked:A]"},
		{"cut off, overlapping", values("abcabcabc"), "abcabcabcabcabc", "[masked:A]abcabc", "[masked:A][masked:A]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := secretsOf(tt.values...)
			s := newSecrets(t, list...)
			if got := s.Mask(tt.text); got != tt.want {
				t.Errorf("Mask: %q\nwant: %q", got, tt.want)
			}
			closed := tt.want
			if tt.closed != "" {
				closed = tt.closed
			}
			m := s.NewMasker()
			if got := maskPieces(m, tt.text); got != closed {
				t.Errorf("stream: %q\nwant:   %q", got, closed)
			}
			if got, want := m.Count(), int64(strings.Count(closed, "[masked:")); got != want {
				t.Errorf("%d masks counted, %d written", got, want)
			}
			checkPieces(t, list, s, strings.Split(tt.text, "")...)
		})
	}
}

func TestAValueIsMaskedWhereverItIsCut(t *testing.T) {
	const value, text, want = "sk-ant-api03-xxsk-ant", "It is sk-ant-api03-xxsk-ant, or sk-an.", "It is [masked:A], or sk-an."
	s := newSecrets(t, Secret{"A", value}, Secret{"B", value + "-2"})
	m := s.NewMasker()
	for size := 1; size <= len(text); size++ {
		for first := 0; first < size; first++ {
			pieces := []string{text[:first]}
			for at := first; at < len(text); at += size {
				pieces = append(pieces, text[at:min(at+size, len(text))])
			}
			if got := maskPieces(m, pieces...); got != want {
				t.Fatalf("%q: %q", pieces, got)
			}
		}
	}
}

func TestAValueIsMaskedWhereverTheStreamEndsInIt(t *testing.T) {
	const value = "sk-ant-api03-xxsk-ant"
	s := newSecrets(t, Secret{"A", value})
	for n := range len(value) + 1 {
		want := "key: " + value[:n]
		if n >= MinSecret {
			want = "key: [masked:A]"
		}
		for cut := range n + 1 {
			if got := maskPieces(s.NewMasker(), "key: "+value[:cut], value[cut:n]); got != want {
				t.Errorf("%d bytes cut at %d: %q", n, cut, got)
			}
		}
	}
}

func TestHeldIsWhatMayBecomeAValue(t *testing.T) {
	s := newSecrets(t, secretsOf("secret", "secret-long", "t-long-one")...)
	m := s.NewMasker()
	for _, step := range []struct{ write, out, held string }{
		{"a s", "a ", "s"},
		{"ecret", "", "secret"},
		{"-lon", "", "secret-lon"},
		{"e", "[masked:A]-lone", ""},
		{"x t-long", "x ", "t-long"},
		{"-secret-long", "t-long-[masked:B]", ""},
		{"", "", ""},
		{"-onet", "-one", "t"},
	} {
		if out, held := string(m.Write([]byte(step.write))), string(m.Held()); out != step.out || held != step.held {
			t.Errorf("after %q: out %q, held %q, want %q and %q", step.write, out, held, step.out, step.held)
		}
	}
	if got := string(m.Close()); got != "t" || len(m.Held()) != 0 || len(m.Close()) != 0 {
		t.Errorf("Close returned %q, then %q is held", got, m.Held())
	}
	if got := string(m.Write([]byte("-long-one"))); got != "-long-one" {
		t.Errorf("the next stream goes on with the last: %q", got)
	}
}

func TestTextIsNotCopiedWhereNothingChanges(t *testing.T) {
	m := newSecrets(t, secretsOf("secret-1")...).NewMasker()
	p := []byte(prose + code + prose + "sec")
	got := m.Write(p)
	if len(got) != len(p)-3 || &got[0] != &p[0] {
		t.Errorf("%d of %d bytes, or a copy", len(got), len(p))
	}
	if got := string(m.Write([]byte("ond"))); got != "second" {
		t.Errorf("then %q", got)
	}
	if got := m.Write(p[:len(prose)]); &got[0] != &p[0] {
		t.Error("a copy, though nothing was held any more")
	}
}

func TestMaskingAllocatesNothing(t *testing.T) {
	s := newSecrets(t, secretsOf("secret-1", "secret-1-more", "handler")...)
	m := s.NewMasker()
	pieces := [][]byte{[]byte(prose + "se"), []byte("cret-1"), []byte("-mor"), []byte(code), []byte("secret-1-mores")}
	allocs := testing.AllocsPerRun(100, func() {
		for _, p := range pieces {
			m.Write(p)
			m.Held()
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestALargeValueInAStream(t *testing.T) {
	half := randomWord(1, 1<<20) + "\n\xff"
	large := half + half
	s := newSecrets(t, Secret{"LARGE", large}, Secret{"INNER", large[100:140]})
	text := prose + large[:len(large)-1] + prose + large + prose
	masked := half[:100] + "[masked:INNER]" + half[140:]
	want := prose + masked + masked[:len(masked)-1] + prose + "[masked:LARGE]" + prose
	if got := s.Mask(text); got != want {
		t.Error("as a whole: not masked as it should be")
	}
	m := s.NewMasker()
	var out bytes.Buffer
	for p := []byte(text); len(p) > 0; p = p[min(len(p), 64<<10):] {
		out.Write(m.Write(p[:min(len(p), 64<<10)]))
	}
	out.Write(m.Close())
	if out.String() != want {
		t.Error("in pieces: not masked as it should be")
	}
}

// TestTextThatIsNearlyAValueTakesLinearTime would take minutes, not a second, if
// what is undecided were read again, looked through or moved at every byte.
func TestTextThatIsNearlyAValueTakesLinearTime(t *testing.T) {
	const n = 1 << 19
	s := newSecrets(t, secretsOf("aaaaaa", strings.Repeat("a", n), strings.Repeat("a", 2*n)+"b")...)
	m := s.NewMasker()
	piece := []byte("a")
	var out bytes.Buffer
	for range 3*n + 7 {
		out.Write(m.Write(piece))
	}
	out.Write(m.Write([]byte("cd")))
	out.Write(m.Close())
	if got, want := out.String(), "[masked:B][masked:B][masked:B][masked:A]acd"; got != want {
		t.Errorf("%.200q", got)
	}
}

func TestSecretsAreSafeForConcurrentUse(t *testing.T) {
	s := newSecrets(t, secretsOf("secret-1", "secret-1-more")...)
	const text, want = "a secret-1, a secret-1-more", "a [masked:A], a [masked:B]"
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for cut := range len(text) {
				got, masked, found := maskPieces(s.NewMasker(), text[:cut], text[cut:]), s.Mask(text), s.Find([]byte(text))
				if got != want || masked != want || len(found) != 2 {
					t.Errorf("%q, %q, %q", got, masked, found)
				}
			}
		})
	}
	all.Wait()
}
