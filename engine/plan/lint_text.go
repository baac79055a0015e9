package plan

import (
	"bytes"
	"fmt"
	"slices"
	"unicode"
)

// maxBody is the size of a body, in bytes, beyond which a strict lint asks
// whether it is one phase.
const maxBody = 64 << 10

// statusMark finds what authors put into a title to keep state there: an
// emoji, a status between brackets, or a status at the end.
var statusMark = lazily(`[✅✔☑❌🚧⏳🔄🟢🟡🔴⏸🏁⬜]` +
	`|[\[(](?i:done|completed?|in[ -]progress|todo|wip|blocked|skipped|not started|pending|planned|finished|current|next)[\])]` +
	`|(?:\s[-–—:]\s*|\s)(?:DONE|COMPLETED?|IN[ -]PROGRESS|TODO|WIP|BLOCKED|SKIPPED|NOT STARTED|PENDING|FINISHED)\s*$` +
	`|\s[-–—]\s*(?i:done|completed?|in[ -]progress|blocked|skipped|not started|pending|finished)\s*$`)

// estimateMark finds a time in a title: between brackets, or behind a "~".
var estimateMark = lazily(`[(\[][^()\[\]]*(?i:\b(?:weeks?|days?|hours?|hrs?|minutes?|mins?|months?|sprints?|quarters?)\s*\d` +
	`|\d\+?\s*-?(?:weeks?|days?|hours?|hrs?|minutes?|mins?|months?|sprints?|quarters?|[hdwm])\b)[^()\[\]]*[)\]]` +
	`|~\s*\d+[^ ]*\s*(?i:weeks?|days?|hours?|hrs?|minutes?|mins?|months?|[hdw]\b)`)

// lintTitles reports state and estimates kept in titles.
func (d *document) lintTitles() []Finding {
	var findings []Finding
	for _, s := range d.sections {
		if mark := statusMark().FindString(s.Title); mark != "" {
			findings = append(findings, d.problemAt(codeStatus, s.Line,
				fmt.Sprintf("the title of phase %s holds a status, %s; the runner does not read it, the phase runs nevertheless", brief(s.Number), quote(mark)),
				"Take it out of the title."))
		}
		if mark := estimateMark().FindString(s.Title); mark != "" {
			findings = append(findings, d.problemAt(codeEstimate, s.Line,
				fmt.Sprintf("the title of phase %s holds an estimate, %s", brief(s.Number), quote(mark)),
				"Take it out of the title; limits on time belong into the manifest."))
		}
	}
	return findings
}

// How a phase is verified is said by a word that begins like one of
// verifyingStarts, by one of verifyingWords, or by a sign of verifyingSigns
// anywhere: scripts without spaces have no words. All are in lower case.
func verifyingStarts() []string {
	return []string{
		"validat", "verif", "vérif", "accept", "testing", "checked", "lint", "criteri", "done when",
		"prueba", "valida", "prüf", "abnahme",
	}
}

func verifyingWords() []string { return []string{"test", "tests", "check", "checks"} }

func verifyingSigns() []string {
	return []string{
		"pytest", "провер", "тест", "критери", "验证", "驗證", "测试", "測試", "验收", "検証", "テスト", "검증", "kiểm",
	}
}

// saysHowVerified looks at one line after the other, since most bodies say it
// early, and in a line for each word on its own: that is a hundred times as fast
// as one pattern of all of them without regard to case.
func saysHowVerified(body []byte) bool {
	for line := range bytes.Lines(body) {
		if lineSaysIt(bytes.ToLower(line)) {
			return true
		}
	}
	return false
}

func lineSaysIt(lower []byte) bool {
	return slices.ContainsFunc(verifyingWords(), func(w string) bool { return hasWord(lower, w, true) }) ||
		slices.ContainsFunc(verifyingStarts(), func(w string) bool { return hasWord(lower, w, false) }) ||
		slices.ContainsFunc(verifyingSigns(), func(w string) bool { return bytes.Contains(lower, []byte(w)) })
}

// hasWord reports whether text, in lower case, has a word that begins with start
// and, where whole, ends there.
func hasWord(text []byte, start string, whole bool) bool {
	for from := 0; ; from++ {
		i := bytes.Index(text[from:], []byte(start))
		if i < 0 {
			return false
		}
		from += i
		behind := from + len(start)
		if (from == 0 || !wordByte(text[from-1])) && (!whole || behind == len(text) || !wordByte(text[behind])) {
			return true
		}
	}
}

// wordByte reports whether c belongs to a word. Letters beyond ASCII count as
// its end.
func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}

// lintValidation reports the phases that don't say how they are verified.
func (d *document) lintValidation() []Finding {
	var silent []section
	for _, s := range d.sections {
		if !saysHowVerified(s.Body) {
			silent = append(silent, s)
		}
	}
	if len(silent) == 0 {
		return nil
	}
	verb := "does"
	if len(silent) > 1 {
		verb = "do"
	}
	return []Finding{d.problemAt(codeNoValidation, silent[0].Line,
		fmt.Sprintf("%s %s not say how the work is verified", phaseList(silent), verb),
		`Add a section like "### Validation" with the commands to run.`)}
}

func (d *document) lintLength() []Finding {
	var findings []Finding
	for _, s := range d.sections {
		if len(s.Body) > maxBody {
			findings = append(findings, d.problemAt(codeLongBody, s.Line,
				fmt.Sprintf("the body of phase %s has %d KiB, more than %d", brief(s.Number), len(s.Body)>>10, maxBody>>10),
				"Make it several phases, or move background into a document and link to it."))
		}
	}
	return findings
}

// invisible reports whether a character leaves no mark: control and format
// characters, and every space but the common one.
func invisible(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || r != ' ' && unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
}
