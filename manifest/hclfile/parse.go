package hclfile

import (
	"bytes"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// rawAttr is an attribute before anybody looked at its value. Its expression is
// HCL's own, whichever form the file has, and nil where it could not be read.
type rawAttr struct {
	name      string
	nameRange hcl.Range
	expr      hclsyntax.Expression
	json      bool
}

// rawBlock is a block before anybody looked into it.
type rawBlock struct {
	typeName string
	labels   []string
	labelsAt []hcl.Range
	typeAt   hcl.Range
	header   hcl.Range
	body     hcl.Body
}

var firstPos = hcl.Pos{Line: 1, Column: 1}

// Check looks for what Load refuses of a file in native syntax before it knows any
// block: limits and syntax. Of the JSON form it sees less than Load: which of its
// texts are templates depends on the blocks.
func Check(src Source) problem.List {
	l := newLoader(Inputs{})
	l.parse(src)
	return l.problems
}

// parse returns the body of a file, or nothing after reporting why not.
func (l *loader) parse(s Source) (hcl.Body, bool) {
	l.places.length[s.Name] = len(s.Bytes)
	if found, ok := checkBytes(s); !ok {
		l.report(found)
		return nil, false
	}
	if s.JSON {
		return l.parseJSON(s)
	}
	if !harmless(s.Bytes) {
		tokens, _ := hclsyntax.LexConfig(s.Bytes, s.Name, firstPos)
		if found, ok := checkTokens(tokens, frame{body: true}); !ok {
			l.offence(found)
			return nil, false
		}
	}
	file, diags := hclsyntax.ParseConfig(s.Bytes, s.Name, firstPos)
	if l.syntax(diags) {
		return nil, false
	}
	return file.Body, true
}

func (l *loader) parseJSON(s Source) (hcl.Body, bool) {
	if found, ok := checkDepth(s); !ok {
		l.report(found)
		return nil, false
	}
	text := bytes.TrimPrefix(s.Bytes, byteOrderMark)
	start := firstPos
	start.Byte = len(s.Bytes) - len(text)
	file, diags := json.ParseWithStartPos(text, s.Name, start)
	if l.syntax(diags[:min(1, len(diags))]) {
		return nil, false // what HCL says after the first one follows from it
	}
	return file.Body, true
}

// syntax reports what HCL says about the text, and tells whether that is
// anything. Of one place the first is told: it is about the character, the next
// one about what the parser made of it.
func (l *loader) syntax(diags hcl.Diagnostics) bool {
	seen := map[problem.Range]bool{}
	for _, d := range diags {
		if at := l.subject(d); d.Severity == hcl.DiagError && !seen[at] {
			seen[at] = true
			text := oneLine(d)
			if l.values[at.File] {
				text = d.Summary // the detail may repeat the text of the file
			}
			l.report(problem.New("E101", at, "", "%s", text))
		}
	}
	return diags.HasErrors()
}

func (l *loader) subject(d *hcl.Diagnostic) problem.Range {
	if d.Subject == nil {
		return problem.Range{}
	}
	return l.places.at(*d.Subject)
}

func (l *loader) offence(found offence) {
	l.report(problem.New(found.code, l.places.at(found.at), found.hint, "%s", found.text))
}

// contents returns what stands in a body, in the order of the source. Blocks
// and attributes of the JSON form can be told apart by the table only.
func (l *loader) contents(body hcl.Body, schema *language.Block) ([]rawAttr, []rawBlock) {
	if native, ok := body.(*hclsyntax.Body); ok {
		return nativeContents(native)
	}
	return l.jsonContents(body, schema)
}

func nativeContents(body *hclsyntax.Body) (attrs []rawAttr, blocks []rawBlock) {
	for _, a := range body.Attributes {
		attrs = append(attrs, rawAttr{name: a.Name, nameRange: a.NameRange, expr: a.Expr})
	}
	sortAttrs(attrs)
	for _, b := range body.Blocks {
		blocks = append(blocks, rawBlock{typeName: b.Type, labels: b.Labels, labelsAt: b.LabelRanges, typeAt: b.TypeRange, header: b.DefRange(), body: b.Body})
	}
	return attrs, blocks
}

func sortAttrs(attrs []rawAttr) {
	sort.Slice(attrs, func(i, j int) bool { return attrs[i].nameRange.Start.Byte < attrs[j].nameRange.Start.Byte })
}
