package hclfile

import (
	goversion "github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// version looks at what the manifest says about its version, and tells whether
// the rest may be looked at: it may be of a language that is not known.
func (l *loader) version(bodies []hcl.Body, files []Source) bool {
	header, at, ok := l.header(bodies)
	if !ok {
		if !l.doc.broken && len(files) > 0 {
			l.report(problem.New("E150", problem.Range{File: files[0].Name}, "Begin it with manifest { version = 1 }.", "the manifest does not say its language version"))
		}
		return l.doc.broken && len(bodies) > 0
	}
	return l.languageVersion(header, at) && l.programVersion(header)
}

// header returns the attributes of the first manifest block.
func (l *loader) header(bodies []hcl.Body) (map[string]rawAttr, problem.Range, bool) {
	schema, _ := language.Manifest().Block("manifest")
	only := &language.Block{Blocks: []*language.Block{schema}}
	for _, body := range bodies {
		_, blocks := l.quietly(body, only)
		for _, b := range blocks {
			if b.typeName != schema.Name {
				continue
			}
			attrs, _ := l.quietly(b.body, schema)
			found := map[string]rawAttr{}
			for _, a := range attrs {
				found[a.name] = a
			}
			return found, l.places.at(b.header), true
		}
	}
	return nil, problem.Range{}, false
}

// quietly reads a body that is read again later, when what is wrong with it is
// reported.
func (l *loader) quietly(body hcl.Body, schema *language.Block) ([]rawAttr, []rawBlock) {
	reported := len(l.problems)
	attrs, blocks := l.contents(body, schema)
	l.problems = l.problems[:reported]
	return attrs, blocks
}

func (l *loader) languageVersion(header map[string]rawAttr, at problem.Range) bool {
	attr, ok := header["version"]
	if !ok {
		l.report(problem.New("E150", at, "Add version = 1.", "the manifest does not say its language version"))
		return false
	}
	number, ok := constant(attr.expr, cty.Number)
	if !ok {
		l.report(problem.New("E150", l.attrRange(attr), "Write version = 1.", "the language version is not a number"))
		return false
	}
	if n, accuracy := number.AsBigFloat().Int64(); accuracy != 0 || n != language.Version {
		l.report(problem.New("E150", l.attrRange(attr), "Use a release of the program that reads it, or write version = 1.", "this release reads version %d of the manifest language and no other", language.Version))
		return false
	}
	return true
}

func (l *loader) programVersion(header map[string]rawAttr) bool {
	attr, ok := header["required_version"]
	if !ok {
		return true
	}
	const hint = `Write comparisons joined by commas, for example ">= 0.1, < 2".`
	text, ok := constant(attr.expr, cty.String)
	if !ok {
		l.report(problem.New("E151", l.attrRange(attr), hint, "required_version is not a string"))
		return false
	}
	wanted, err := goversion.NewConstraint(text.AsString())
	if err != nil {
		l.report(problem.New("E151", l.attrRange(attr), hint, "required_version is not understood"))
		return false
	}
	if program, err := goversion.NewVersion(l.in.Program); err == nil && !wanted.Check(program.Core()) {
		l.report(problem.New("E151", l.attrRange(attr), "Use another release of the program.", "the manifest wants a release %s, this is %s", wanted, program))
		return false
	}
	return true
}

// constant evaluates an expression that may name nothing.
func constant(e hclsyntax.Expression, want cty.Type) (cty.Value, bool) {
	if !literal(e) {
		return cty.NilVal, false
	}
	v, diags := e.Value(nil)
	return v, !diags.HasErrors() && v.IsKnown() && !v.IsNull() && v.Type() == want
}

// attrRange is the range of a value, or of the name where the value could not
// be read.
func (l *loader) attrRange(a rawAttr) problem.Range {
	if a.expr == nil {
		return l.places.at(a.nameRange)
	}
	return l.places.at(a.expr.Range())
}
