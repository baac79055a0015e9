package hclfile

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

func isList(ty cty.Type) bool { return ty.IsTupleType() || ty.IsListType() }

// list returns a value that must be a list of strings.
func (l *loader) list(a *Attr, x *expression, v cty.Value, want string) ([]Text, bool) {
	if !isList(v.Type()) {
		return nil, l.wrongType(a, a.Range, v, want)
	}
	places := l.elements(x, v.LengthInt())
	texts, ok := []Text{}, true
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		at := places(len(texts))
		if element.Type() != cty.String || element.IsNull() {
			l.wrongElement(a, at, element)
			texts, ok = append(texts, Text{}), false
			continue
		}
		texts = append(texts, Text{element.AsString(), at})
	}
	return texts, ok
}

func (l *loader) wrongElement(a *Attr, at problem.Range, v cty.Value) {
	if v.IsNull() {
		l.wrongType(a, at, v, "")
		return
	}
	hint := ""
	if v.Type().IsPrimitiveType() {
		hint = "Write it in quotes, or use tostring()."
	}
	l.report(problem.New("E206", at, hint, "an element of %s must be a string, this is %s", a.shown(), found(v.Type())))
}

// elements returns the places of the elements of a list: their own where the
// list is written out, otherwise that of the expression.
func (l *loader) elements(x *expression, n int) func(int) problem.Range {
	list, ok := x.source.(*hclsyntax.TupleConsExpr)
	if !ok || len(list.Exprs) != n {
		whole := l.places.at(x.source.Range())
		return func(int) problem.Range { return whole }
	}
	return func(i int) problem.Range { return l.places.at(list.Exprs[i].Range()) }
}

func (l *loader) choices(a *Attr, x *expression, v cty.Value) (any, bool) {
	texts, ok := l.list(a, x, v, "a list of strings")
	if !ok {
		return nil, false
	}
	seen := map[string]problem.Range{}
	for _, t := range texts {
		ok = l.choice(a, t, seen) && ok
	}
	return texts, ok
}

// choice reports a word that is not allowed, or is given twice.
func (l *loader) choice(a *Attr, t Text, seen map[string]problem.Range) bool {
	first, twice := seen[t.Value]
	for _, word := range a.Schema.Choices {
		if word != t.Value {
			continue
		}
		if twice {
			p := problem.New("E408", t.Range, "Take one of them out.", "%s has %s twice", a.shown(), word)
			p.Related = []problem.Related{{Range: first, Message: "the first one"}}
			l.report(p)
		} else if seen != nil {
			seen[word] = t.Range
		}
		return !twice
	}
	hint := "Write " + strings.Join(a.Schema.Choices, " or ") + "."
	if len(a.Schema.Choices) > 2 {
		hint = "There are " + strings.Join(a.Schema.Choices, ", ") + "."
	}
	if slices.Contains(a.Schema.Choices, strings.TrimSpace(t.Value)) {
		l.report(problem.New("E408", t.Range, "Write the word in quotes, or use trimspace(): a heredoc ends with a newline.", "the word for %s has %s", a.shown(), around(t.Value)))
		return false
	}
	what := "this"
	if !a.Varies {
		what = fmt.Sprintf("%q", clip(t.Value))
		hint = strings.TrimSpace(l.didYouMean(t.Value, a.Schema.Choices, "%s", "") + " " + hint)
	}
	l.report(problem.New("E408", t.Range, hint, "%s is none of the words for %s", what, a.shown()))
	return false
}

// around names the white space around a word.
func around(text string) string {
	if word := strings.TrimSpace(text); text == word+"\n" || text == word+"\r\n" {
		return "a newline at the end"
	}
	return "white space around it"
}

// environ returns the entries of a map, sorted by key.
func (l *loader) environ(a *Attr, x *expression, v cty.Value) (any, bool) {
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return nil, l.wrongType(a, a.Range, v, "a map of strings")
	}
	places := l.entries(x)
	entries, ok := []Entry{}, true
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		at, known := places[key.AsString()]
		if !known {
			at = [2]problem.Range{a.Range, a.Range}
		}
		if element.Type() != cty.String || element.IsNull() {
			l.wrongElement(a, at[1], element)
			ok = false
			continue
		}
		entries = append(entries, Entry{Key: Text{key.AsString(), at[0]}, Value: Text{element.AsString(), at[1]}})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Key.Value < entries[j].Key.Value })
	return entries, ok
}

// entries returns the places of keys and values of a map that is written out,
// as far as the keys are.
func (l *loader) entries(x *expression) map[string][2]problem.Range {
	object, ok := x.source.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil
	}
	places := map[string][2]problem.Range{}
	for _, item := range object.Items {
		if key, ok := l.keyOf(item.KeyExpr); ok {
			places[key] = [2]problem.Range{l.places.at(item.KeyExpr.Range()), l.places.at(item.ValueExpr.Range())}
		}
	}
	return places
}

// uniqueKeys reports a key that stands twice in a map that is written out: HCL
// would take the last one and say nothing.
func (l *loader) uniqueKeys(e hclsyntax.Expression) bool {
	ok := true
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		object, is := n.(*hclsyntax.ObjectConsExpr)
		if !is {
			return nil
		}
		seen := map[string]problem.Range{}
		for _, item := range object.Items {
			key, written := writtenKey(item.KeyExpr)
			first, twice := seen[key]
			at := l.places.at(item.KeyExpr.Range())
			switch {
			case !written:
			case !twice:
				seen[key] = at
			case first != (problem.Range{}):
				ok = false
				p := problem.New("E306", at, "Take one of them out.", "a map has the key %q twice", clip(key))
				l.report(p.With(problem.Related{Range: first, Message: "the first one"}))
				seen[key] = problem.Range{} // said
			}
		}
		return nil
	})
	return ok
}

// writtenKey returns a key that is not computed.
func writtenKey(e hclsyntax.Expression) (string, bool) {
	if key, ok := e.(*hclsyntax.ObjectConsKeyExpr); ok {
		if word := hcl.ExprAsKeyword(key.Wrapped); word != "" && !key.ForceNonLiteral {
			return word, true
		}
		e = key.Wrapped
	}
	for inner, ok := e.(*hclsyntax.ParenthesesExpr); ok; inner, ok = e.(*hclsyntax.ParenthesesExpr) {
		e = inner.Expression
	}
	v, ok := constant(e, cty.String)
	if !ok {
		return "", false
	}
	return v.AsString(), true
}

func (l *loader) keyOf(e hclsyntax.Expression) (string, bool) {
	v, diags := e.Value(nil)
	if diags.HasErrors() || !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}

func (l *loader) command(a *Attr, x *expression, v cty.Value) (any, bool) {
	if v.Type() == cty.String {
		return Command{Line: &Text{v.AsString(), a.Range}}, true
	}
	words, ok := l.list(a, x, v, "a list of strings, or one string")
	return Command{Words: words}, ok
}
