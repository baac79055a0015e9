package termtext

import "testing"

func TestText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\n\tb é\n", "a\n\tb é\n"},
		{"no colour", "\x1b[31mred\x1b[0m\n", "red\n"},
		{"cut off", "a\xe2\x82", "a\ufffd"},
		{"zero width is kept", "👩\u200d💻", "👩\u200d💻"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Phase 1: Größe ⚠️", "Phase 1: Größe ⚠️"},
		{"breaks and tabs", "a\r\nb\tc\u2028d", "a b c d"},
		{"forged second line", "plan.md\n\x1b[32mok\x1b[0m", "plan.md ok"},
		{"control", "a\x00\x7fb", "a\ufffd\ufffdb"},
		{"bidi", "gpj.\u202eexe", "gpj.\ufffdexe"},
		{"zero width", "ad\u200bmin\u200d\ufeff\u00ad\u2060", "ad\ufffdmin\ufffd\ufffd\ufffd\ufffd"},
		{"fillers", "a\u3164\u115f\u034f", "a\ufffd\ufffd\ufffd"},
		{"shown format sign", "\u0600\u06dd", "\u0600\u06dd"},
		{"combining accent", "e\u0301", "e\u0301"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Line(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestIndented(t *testing.T) {
	for in, want := range map[string]string{
		"one":              "one",
		"one\n\n\ntwo\n\n": "one\n\n\n  two",
		"a\rb\u2028c\r\n":  "a\n  b\n  c",
	} {
		if got := Indented(in, "  "); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestPlainTextIsNotCopied(t *testing.T) {
	const s = "nothing to do here: ordinary words, été, 漢字\n"
	if got := testing.AllocsPerRun(100, func() { _ = Text(s) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
