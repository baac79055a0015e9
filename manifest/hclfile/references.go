package hclfile

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// references reads a list of references, which is written out. One that is none
// is reported and left out, so that the names of the others can be looked at.
func (l *loader) references(a *Attr) (any, bool) {
	list, ok := a.source.expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		if !l.nullReference(a, a.source.expr) {
			l.report(problem.New("E301", a.Range, fmt.Sprintf("Write %s = %s.", a.Schema.Name, a.Schema.Example), "%s must be a list of references", a.Schema.Name))
		}
		return nil, false
	}
	refs := []Ref{}
	for _, item := range list.Exprs {
		if ref, ok := l.reference(a, item); ok {
			refs = append(refs, ref.(Ref))
		}
	}
	return refs, true
}

// reference reads one reference. Nothing is evaluated: blocks are not values.
func (l *loader) reference(a *Attr, e hclsyntax.Expression) (any, bool) {
	if l.nullReference(a, e) {
		return nil, false
	}
	at := l.places.at(e.Range())
	text, quoted := constant(e, cty.String)
	var parts []string
	switch {
	case quoted && a.source.json:
		parts = strings.Split(text.AsString(), ".")
	case quoted:
		l.report(problem.New("E302", at, l.unquoted(a, text.AsString()), "a reference stands in quotes"))
		return nil, false
	default:
		parts = steps(e)
	}
	if len(parts) != 2 || !hclsyntax.ValidIdentifier(parts[0]) || !hclsyntax.ValidIdentifier(parts[1]) {
		l.report(problem.New("E301", at, fmt.Sprintf("Write %s.name, which is never computed.", a.Schema.Refers), "%s must name one %s", a.Schema.Name, a.Schema.Refers))
		return nil, false
	}
	if parts[0] != a.Schema.Refers {
		l.report(problem.New("E303", at, fmt.Sprintf("Write %s.name.", a.Schema.Refers), "%s must name one %s, this names another kind: %s", a.Schema.Name, a.Schema.Refers, clip(parts[0])))
		return nil, false
	}
	return Ref{Type: parts[0], Name: parts[1], Range: at}, true
}

func (l *loader) unquoted(a *Attr, text string) string {
	if !strings.HasPrefix(text, a.Schema.Refers+".") {
		text = a.Schema.Refers + "." + text
	}
	if _, name, _ := strings.Cut(text, "."); !namePattern().MatchString(name) {
		return fmt.Sprintf("Write %s.name without quotes.", a.Schema.Refers)
	}
	return fmt.Sprintf("Write %s without quotes.", text)
}

func (l *loader) nullReference(a *Attr, e hclsyntax.Expression) bool {
	v, ok := e.(*hclsyntax.LiteralValueExpr)
	return ok && v.Val.IsNull() && l.null(v.Val, a)
}

// steps returns the names of a traversal that has nothing but names.
func steps(e hclsyntax.Expression) (names []string) {
	traversal, ok := e.(*hclsyntax.ScopeTraversalExpr)
	if !ok {
		return nil
	}
	for _, step := range traversal.Traversal {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			names = append(names, step.Name)
		case hcl.TraverseAttr:
			names = append(names, step.Name)
		default:
			return nil
		}
	}
	return names
}
