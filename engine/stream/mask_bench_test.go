package stream

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	prose = "The handler starts the supervisor with the control socket and the worker's streams.\n"
	code  = "func (s *Scanner) Write(p []byte) (int, error) { // – it's 'done'\n\treturn len(p), nil\n}\n"
)

// randomWord returns n letters and digits, always the same for a seed.
func randomWord(seed uint64, n int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for range n {
		b.WriteByte(letters[r.IntN(len(letters))])
	}
	return b.String()
}

func keys(n int) []Secret {
	var list []Secret
	for i := range n {
		list = append(list, Secret{fmt.Sprintf("KEY_%d", i), "sk-" + randomWord(uint64(i), 37)})
	}
	return list
}

func BenchmarkMasker(b *testing.B) {
	const size = 32 << 10
	text := strings.Repeat(prose+code, size/len(prose+code))
	for _, bm := range []struct {
		name    string
		secrets []Secret
		text    string
	}{
		{"one", keys(1), text},
		{"one short, of common letters", []Secret{{"A", "these "}}, text},
		{"ten", keys(10), text},
		{"hundred", keys(100), text},
		{"ten in base64", keys(10), randomWord(1000, size)},
		{"four MiB", []Secret{{"A", randomWord(1, 4<<20)}}, text},
		{"a value per line", keys(1), strings.Repeat(prose+keys(1)[0].Value+"\n", size/len(prose))},
		{"nearly a value everywhere", []Secret{{"A", strings.Repeat("a", 64) + "b"}}, strings.Repeat("a", size)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			m, p := newSecrets(b, bm.secrets...).NewMasker(), []byte(bm.text)
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				m.Write(p)
			}
		})
	}
}

func BenchmarkMaskerByLine(b *testing.B) {
	m, p := newSecrets(b, keys(1)...).NewMasker(), []byte(prose)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		m.Write(p)
	}
}

func BenchmarkNewSecrets(b *testing.B) {
	list := append(keys(20), Secret{"LARGE", randomWord(0, 128<<10)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewSecrets(list); err != nil {
			b.Fatal(err)
		}
	}
}
