package hclfile

import (
	"bytes"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// What is refused before HCL parses it: its parser and its evaluation take stack
// for each level, and a stack that overflows ends the program.
const (
	maxFile     = 1 << 20 // bytes
	maxAll      = 8 << 20 // bytes of all files
	maxFiles    = 257
	maxBlocks   = 50_000
	maxDepth    = 64
	maxDepthOf  = 128 // of the JSON form
	maxUnary    = 8
	maxQuestion = 64
	maxTokens   = 5000
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// checkBytes refuses what is no text of a bearable size.
func checkBytes(s Source) (problem.Problem, bool) {
	if len(s.Bytes) > maxFile {
		return problem.New("E001", problem.Range{File: s.Name}, "Split the file.",
			"the file has %d bytes, which is more than 1 MiB", len(s.Bytes)), false
	}
	if at := bytes.IndexByte(s.Bytes, 0); at >= 0 {
		return problem.New("E002", byteRange(s, at), "Save the file as UTF-8 text.", "the file has a NUL byte"), false
	}
	if at := invalidUTF8(s.Bytes); at >= 0 {
		return problem.New("E003", byteRange(s, at), "Save the file as UTF-8.", "the file is not UTF-8"), false
	}
	return problem.Problem{}, true
}

func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// byteRange is the range of one byte. Columns are characters, since the text may
// have no grapheme clusters.
func byteRange(s Source, at int) problem.Range {
	begin := bytes.LastIndexByte(s.Bytes[:at], '\n') + 1
	start := problem.Pos{
		Line:   bytes.Count(s.Bytes[:at], []byte{'\n'}) + 1,
		Column: utf8.RuneCount(s.Bytes[begin:at]) + 1,
		Byte:   at,
	}
	end := start
	end.Column++
	end.Byte++
	return problem.Range{File: s.Name, Start: start, End: end}
}

// offence is what a guard found, and where.
type offence struct {
	code, hint, text string
	at               hcl.Range
}

var (
	tooDeep   = offence{code: "E004", text: "brackets, quotes and interpolations nest more than 64 deep", hint: "Take parts of the expression out into locals."}
	tooUnary  = offence{code: "E005", text: "more than 7 operators in a row stand before a value", hint: "Take out those that cancel each other."}
	tooAsking = offence{code: "E005", text: "the argument has 64 or more `?`", hint: "Take parts of the expression out into locals."}
	tooLong   = offence{code: "E005", text: "the argument has more than 5,000 words and signs", hint: "Take parts of the expression out into locals."}
)

// frame is something that is open: a bracket, a quote, a heredoc, a template
// sequence.
type frame struct {
	closes     hclsyntax.TokenType
	body       bool // a block: what stands in it are arguments and blocks
	directives int  // %{if and %{for in it that have no end yet
}

// guard counts what the parser would take stack for, without any itself.
type guard struct {
	open      []frame
	depth     int
	item      hcl.Range // first token of the argument or block that is being read
	tokens    int       // of it
	questions int
	unary     int
	equals    bool // it has its = already
	control   bool // the token before was %{
	blocks    int
}

// checkTokens returns the first thing in a text that the parser must not see.
func checkTokens(tokens hclsyntax.Tokens, bottom frame) (offence, bool) {
	g := guard{open: []frame{bottom}}
	for i := range tokens {
		if found, ok := g.see(&tokens[i]); !ok {
			found.at = tokens[i].Range
			if found.code == "E005" && found.text != tooUnary.text && g.tokens > 0 {
				found.at = g.item
			}
			return found, false
		}
	}
	return offence{}, true
}

func (g *guard) see(t *hclsyntax.Token) (offence, bool) {
	if g.ends(t) {
		g.tokens, g.questions, g.unary, g.equals = 0, 0, 0, false
		return offence{}, true
	}
	if g.tokens == 0 {
		g.item = t.Range
	}
	g.tokens++
	g.nest(t)
	g.operators(t.Type)
	switch {
	case g.depth > maxDepth:
		return tooDeep, false
	case g.unary >= maxUnary:
		return tooUnary, false
	case g.questions >= maxQuestion:
		return tooAsking, false
	case g.tokens > maxTokens:
		return tooLong, false
	}
	return offence{}, true
}

func (g *guard) top() *frame { return &g.open[len(g.open)-1] }

// ends tells whether an argument or the header of a block ends with a token.
func (g *guard) ends(t *hclsyntax.Token) bool {
	if !g.top().body {
		return false
	}
	return t.Type == hclsyntax.TokenNewline || t.Type == hclsyntax.TokenComment && bytes.HasSuffix(t.Bytes, []byte{'\n'})
}

var closers = map[hclsyntax.TokenType]hclsyntax.TokenType{
	hclsyntax.TokenOBrace:          hclsyntax.TokenCBrace,
	hclsyntax.TokenOBrack:          hclsyntax.TokenCBrack,
	hclsyntax.TokenOParen:          hclsyntax.TokenCParen,
	hclsyntax.TokenOQuote:          hclsyntax.TokenCQuote,
	hclsyntax.TokenOHeredoc:        hclsyntax.TokenCHeredoc,
	hclsyntax.TokenTemplateInterp:  hclsyntax.TokenTemplateSeqEnd,
	hclsyntax.TokenTemplateControl: hclsyntax.TokenTemplateSeqEnd,
}

func (g *guard) nest(t *hclsyntax.Token) {
	if closes, ok := closers[t.Type]; ok {
		g.push(t.Type, closes)
	} else if len(g.open) > 1 && t.Type == g.top().closes {
		g.pop()
	} else if g.control && t.Type == hclsyntax.TokenIdent {
		g.directive(string(t.Bytes))
	}
	g.control = t.Type == hclsyntax.TokenTemplateControl
	if t.Type == hclsyntax.TokenEqual {
		g.equals = true
	}
}

func (g *guard) push(opens, closes hclsyntax.TokenType) {
	block := opens == hclsyntax.TokenOBrace && g.top().body && !g.equals
	g.open = append(g.open, frame{closes: closes, body: block})
	g.depth++
	if block {
		g.blocks++
		g.tokens, g.questions = 0, 0
	}
}

func (g *guard) pop() {
	g.depth -= 1 + g.top().directives
	g.open = g.open[:len(g.open)-1]
}

// directive counts %{if and %{for, which belong to the template around the
// sequence that has just begun.
func (g *guard) directive(word string) {
	template := &g.open[len(g.open)-2]
	switch {
	case word == "if" || word == "for":
		template.directives++
		g.depth++
	case (word == "endif" || word == "endfor") && template.directives > 0:
		template.directives--
		g.depth--
	}
}

func (g *guard) operators(t hclsyntax.TokenType) {
	switch t {
	case hclsyntax.TokenBang, hclsyntax.TokenMinus:
		g.unary++
	case hclsyntax.TokenNewline, hclsyntax.TokenComment:
	default:
		g.unary = 0
	}
	if t == hclsyntax.TokenQuestion {
		g.questions++
	}
}

// checkDepth refuses JSON that nests too deeply. A closing bracket that fits
// nothing is left out: counting too much is harmless where there is no JSON.
func checkDepth(s Source) (problem.Problem, bool) {
	var open []byte
	quoted, escaped := false, false
	for at, b := range s.Bytes {
		switch {
		case quoted:
			quoted = b >= ' ' && (b != '"' || escaped)
			escaped = quoted && b == '\\' && !escaped
		case b == '"':
			quoted = true
		case b == '{' || b == '[':
			open = append(open, b+2) // what closes it
		case len(open) > 0 && b == open[len(open)-1]:
			open = open[:len(open)-1]
		}
		if len(open) > maxDepthOf {
			return problem.New("E004", byteRange(s, at), "Write less of it as nested lists and objects.", "brackets nest more than %d deep", maxDepthOf), false
		}
	}
	return problem.Problem{}, true
}
