package hclfile

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"pgregory.net/rapid"
)

// What skimming lets through, the guard does too.
func TestSkimmingIsNoLaxerThanTheGuard(t *testing.T) {
	parts := []string{"{", "}", "[", "]", "(", ")", "\"", "\\", "a", " ", "\n", "=", "!", "-", "?", ":", "#", "//", "/*", "*/", "<<E\n", "\nE\n", "${", "%{", "if ", "\r\n", "$", "'", "==",
		"a {\n", "}\n", "a = [\n", strings.Repeat("(", 40), strings.Repeat("!", 5), strings.Repeat("a ? ", 30), strings.Repeat("1,", 1800)}
	skimmed := 0
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(t, "parts"), ""))
		if !harmless(text) {
			return
		}
		skimmed++
		tokens, _ := hclsyntax.LexConfig(text, "", firstPos)
		if found, ok := checkTokens(tokens, frame{body: true}); !ok {
			t.Fatalf("skimmed over %s in %q", found.text, text)
		}
	})
	if skimmed == 0 {
		t.Error("nothing was skimmed")
	}
}

func TestOrdinaryFilesAreSkimmed(t *testing.T) {
	if !harmless([]byte("# it's\nagent \"a\" {\n  command = [\"a\", \"b/c\\\"\"] // ]\n  env = {\n    A = \"x\"\n  }\n}\n")) {
		t.Error("an ordinary file is not harmless")
	}
}
