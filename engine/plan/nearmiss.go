package plan

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// miss is a text that is meant as the heading of a phase, but is not.
type miss struct {
	reason string // what is wrong with it
	number string // canonical, or empty when it is no whole number
	title  string // may be empty
	loose  bool   // no sign separates number and title: it may be about a phase
}

// nearMiss recognises a text that looks like the heading of a phase in one of
// the ways found in plans. A text with the exact form has an empty reason.
func nearMiss(text string) (miss, bool) {
	text = plainText(text)
	bare := undecorated(text)
	word, rest, ok := cutWord(bare)
	if !ok {
		return miss{}, false
	}
	token, behind, ok := cutNumber(rest)
	if !ok {
		return miss{}, false
	}
	title, sign := cutTitle(behind)
	m := miss{title: title, number: wholeValue(token), loose: sign == "" && title != ""}
	if m.loose && !wholeNumber(token) || (m.loose || sign == "(") && aboutPhases(title) {
		return miss{}, false
	}
	if bare != text && !strings.HasPrefix(text, word) {
		m.reason = `nothing may stand before "Phase"`
	} else {
		m.reason = deviation(word, rest, token, behind, title)
	}
	return m, true
}

// deviation returns the first thing in a heading that is not as it must be.
func deviation(word, rest, token, behind, title string) string {
	switch {
	case word == "":
		return `the word "Phase" must come first`
	case word != "Phase":
		return `the word must be "Phase", written like this`
	case !wholeNumber(token):
		return "the number must be a whole number, in digits"
	case title == "":
		return "it has no title"
	case !strings.HasPrefix(rest, " "+token):
		return `one space must stand between "Phase" and the number`
	case !strings.HasPrefix(behind, ": "):
		return "a colon and a space must follow the number"
	}
	return ""
}

// numbering is what sections are counted with: "3. ", "3) ", "2.1 ".
var numbering = lazily(`^\d+(?:\.\d+)*[.):]?\s+`)

// undecorated removes what authors put around the words of a heading:
// emphasis, links, emoji, a number of its own, a hash without its space.
func undecorated(text string) string {
	decoration := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}
	s := strings.TrimLeftFunc(text, decoration)
	if loc := numbering().FindStringIndex(s); loc != nil {
		if rest := strings.TrimLeftFunc(s[loc[1]:], decoration); startsWithWord(rest) {
			s = rest
		}
	}
	if s == text {
		return s
	}
	if end := strings.Index(s, "]("); end >= 0 {
		s = s[:end]
	}
	return strings.TrimRight(s, " \t*_`~")
}

func startsWithWord(s string) bool {
	_, _, ok := cutWord(s)
	return ok
}

// phaseWords are the words for a phase in the languages plans were found in.
func phaseWords() []string {
	return []string{
		"phase", "fase", "etapa", "fáze", "faza", "fas", "faz", "vaihe", "etap", "étape", "etappe",
		"этап", "фаза", "стадия", "етап", "giai đoạn", "aşama", "φάση", "चरण", "مرحلة", "المرحلة", "שלב",
		"阶段", "階段", "フェーズ", "段階", "단계",
	}
}

// cutWord cuts the word for a phase from the start of a text. The word is
// empty where the number comes first: 第1阶段, 1단계.
func cutWord(text string) (word, rest string, ok bool) {
	for _, w := range phaseWords() {
		if head, tail, ok := cutFold(text, w); ok && !continues(head, tail) {
			return head, tail, true
		}
	}
	if m := numberFirst().FindStringSubmatch(text); m != nil {
		// A space is sign enough behind these words.
		return "", m[1] + ": " + strings.TrimLeft(text[len(m[0]):], " "+signs), true
	}
	return "", "", false
}

// numberFirst is a number with the word behind it, as East Asian languages
// have it.
var numberFirst = lazily(`^第?\s*(\p{Nd}+|[一二三四五六七八九十]+)\s*(?:阶段|階段|段階|단계|フェーズ)`)

// cutFold cuts a prefix, ignoring case.
func cutFold(text, prefix string) (head, tail string, ok bool) {
	end := 0
	for range utf8.RuneCountInString(prefix) {
		if end >= len(text) {
			return "", "", false
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end], text[end:], strings.EqualFold(text[:end], prefix)
}

// continues reports whether the word goes on behind its head, like "Phases".
// Scripts without spaces have no such words.
func continues(head, tail string) bool {
	first, _ := utf8.DecodeRuneInString(head)
	next, _ := utf8.DecodeRuneInString(tail)
	return !unicode.In(first, unicode.Han, unicode.Katakana, unicode.Hangul) && (unicode.IsLetter(next) || unicode.IsMark(next))
}

// phaseNumber is a number as authors write it: 3, 3a, 1.5, 1-2, 2 & 3, 3+,
// with or without a sign before it.
var phaseNumber = lazily(`^[\s#№._–—-]*(\p{Nd}+(?:[\p{L}+]+|(?:[.,/–—-]|\s*&\s*|\s+(?:and|to)\s+)\p{Nd}+\p{L}?)*)`)

// wordNumber is a number without digits, or a letter; it needs a sign behind
// it to be told from a word.
var wordNumber = lazily(`^[\s#_-]*((?i:[ivx]+|[a-z]|one|two|three|four|five|six|seven|eight|nine|ten)|[一二三四五六七八九十]+)(?:\s*(?:[:：.)(|–—]|-\s)|\s*$)`)

func cutNumber(text string) (token, behind string, ok bool) {
	for _, form := range []*regexp.Regexp{phaseNumber(), wordNumber()} {
		if loc := form.FindStringSubmatchIndex(text); loc != nil {
			return text[loc[2]:loc[3]], text[loc[3]:], true
		}
	}
	return "", "", false
}

// signs are what stands between number and title where ": " should.
const signs = ":：-–—.()|[]（）、/"

// wholeValue returns the canonical number that a token stands for, in whatever
// digits or words, or nothing when it is no whole number.
func wholeValue(token string) string {
	digits := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Nd, r) {
			return '0' + digitValue(r)
		}
		return r
	}, token)
	if wholeNumber(digits) {
		return canonical(digits)
	}
	for _, names := range []string{
		"i ii iii iv v vi vii viii ix x", "a b c d e f g h",
		"one two three four five six seven eight nine ten", "一 二 三 四 五 六 七 八 九 十",
	} {
		if i := slices.Index(strings.Fields(names), strings.ToLower(token)); i >= 0 {
			return strconv.Itoa(i + 1)
		}
	}
	return ""
}

// digitValue returns the value of a decimal digit. In Unicode each script has
// its ten digits in a row, the first at a multiple of ten from the start of
// its range.
func digitValue(r rune) rune {
	for _, digits := range unicode.Nd.R16 {
		if rune(digits.Lo) <= r && r <= rune(digits.Hi) {
			return (r - rune(digits.Lo)) % 10
		}
	}
	for _, digits := range unicode.Nd.R32 {
		if rune(digits.Lo) <= r && r <= rune(digits.Hi) {
			return (r - rune(digits.Lo)) % 10
		}
	}
	return 0
}

// cutTitle returns the title behind a number, and the first sign between them.
func cutTitle(behind string) (title, sign string) {
	rest := strings.TrimLeft(behind, " \t*_`")
	if r, size := utf8.DecodeRuneInString(rest); strings.ContainsRune(signs, r) && size > 0 {
		sign = rest[:size]
	}
	if inner, after, ok := strings.Cut(rest, ")"); ok && sign == "(" {
		if after = strings.Trim(after, " \t*_"+signs); after != "" {
			return after + " " + inner + ")", sign
		}
	}
	return strings.Trim(strings.TrimLeft(rest, " \t*_"+signs), " \t*_`|)]"), sign
}

// containerWords end headings that are about phases and are none themselves.
func containerWords() []string {
	return []string{
		"summary", "overview", "dependencies", "dependency", "notes", "results", "result", "goals", "goal",
		"checklist", "timeline", "deliverables", "deliverable", "retrospective", "status", "risks", "tasks", "tests",
		"testing", "validation", "verification", "review", "criteria", "complete", "completed", "completion", "done",
		"issues", "plan", "details", "scope", "outcome", "outcomes", "report", "progress", "success", "metrics",
		"exit", "gate", "handoff", "only", "files", "changes", "estimate", "total",
	}
}

// aboutPhases reports whether what follows a number without a sign makes the
// heading one about a phase: "Phase 1 Summary", "Phase 2's goals".
func aboutPhases(title string) bool {
	if strings.HasPrefix(title, "'") || strings.HasPrefix(title, "’") {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, known := range containerWords() {
		if len(words) > 0 && (words[0] == known || words[len(words)-1] == known) {
			return true
		}
	}
	return false
}
