package hclfile

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// fromFiles returns the values of var files, by the name of the variable.
func (l *loader) fromFiles() map[string]*given {
	values := map[string]*given{}
	for _, f := range l.in.VarFiles {
		l.values[f.Name] = true
		if f.JSON {
			l.texts[f.Name] = f.Bytes
		}
		body, ok := l.parse(f)
		if !ok {
			l.doc.lost["value"] = true
			continue
		}
		for _, a := range l.lines(body) {
			if l.declared(a.name, l.places.at(a.nameRange)) {
				values[a.name] = &given{from: Origin{FromFile, f.Name}, at: l.attrRange(a), expr: a.expr, faulty: a.expr == nil}
			}
		}
	}
	return values
}

// lines returns the attributes of a var file.
func (l *loader) lines(body hcl.Body) []rawAttr {
	free := &language.Block{Free: &language.Attr{Kind: language.Any}}
	attrs, blocks := l.contents(body, free)
	for _, b := range blocks {
		l.report(problem.New("E201", l.places.at(b.header), "Write name = value.", "a var file has no blocks"))
	}
	return attrs
}

// declared reports a value for a variable that there is not.
func (l *loader) declared(name string, at problem.Range) bool {
	if l.vars[name] != nil {
		return true
	}
	if !l.doc.Lost("variable") {
		l.report(problem.New("E312", at, l.didYouMean(name, l.varNames, "%s", "Declare the variable, or take the value out."), "no variable is named %q", clip(name)))
	}
	return false
}

// fromEnviron adds the values of the environment. Names that are not declared
// may belong to another manifest.
func (l *loader) fromEnviron(values map[string]*given) {
	for _, entry := range l.in.Environ {
		full, text, _ := strings.Cut(entry, "=")
		name, ok := strings.CutPrefix(full, environPrefix)
		if !ok || l.vars[name] == nil {
			continue
		}
		l.fromText(values, name, text, Origin{FromEnviron, full}, problem.Range{File: full})
	}
}

// fromFlags adds the values of --var.
func (l *loader) fromFlags(values map[string]*given) {
	at := problem.Range{File: flag}
	for _, entry := range l.in.Vars {
		name, text, ok := strings.Cut(entry, "=")
		if !ok {
			l.report(problem.New("E312", at, "Write --var name=value.", "a value for a variable has no ="))
			continue
		}
		if l.declared(name, at) {
			l.fromText(values, name, text, Origin{Kind: FromFlag}, at)
		}
	}
}

// fromText notes a value that is text: as it stands for a string, otherwise
// written as in a manifest.
func (l *loader) fromText(values map[string]*given, name, text string, from Origin, at problem.Range) {
	g := &given{from: from, at: at, text: text}
	values[name] = g
	ty := keywordOf(l.vars[name].block)
	if found, ok := checkBytes(Source{Name: at.File, Bytes: []byte(text)}); !ok {
		found.Range = at
		l.report(found)
		g.faulty = true
		return
	}
	if ty == "" || ty == "string" {
		return
	}
	if g.expr = l.parseText(text, at); g.expr == nil {
		l.unreadable(name, g)
		g.faulty = true
	}
}

func keywordOf(b *Block) string {
	attr := find(b, "type")
	if attr == nil {
		return ""
	}
	return keyword(attr.source)
}

func (l *loader) parseText(text string, at problem.Range) hclsyntax.Expression {
	name := l.places.add(at)
	tokens, _ := hclsyntax.LexExpression([]byte(text), name, firstPos)
	if _, ok := checkTokens(tokens, frame{}); !ok {
		return nil
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), name, firstPos)
	if diags.HasErrors() {
		return nil
	}
	return expr
}
