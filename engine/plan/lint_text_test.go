package plan

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// verifying is what saysHowVerified looks for, as one pattern.
var verifying = regexp.MustCompile(`(?i)\b(?:validat|verif|vérif|accept|tests?\b|testing|checks?\b|checked|lint|criteri|done when|prueba|valida|prüf|abnahme)` +
	`|pytest|провер|тест|критери|验证|驗證|测试|測試|验收|検証|テスト|검증|kiểm`)

func TestVerifyingIsFoundAsByOnePattern(t *testing.T) {
	pieces := append(append(append(verifyingStarts(), verifyingWords()...), verifyingSigns()...),
		" ", "\n", "_", "s", "a", "7", "é", "-", "un", "ing", "check", "tes", "done ", "вер", "验", "\xff")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "upper") {
			text = strings.ToUpper(text)
		}
		if got, want := saysHowVerified([]byte(text)), verifying.MatchString(text); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}
