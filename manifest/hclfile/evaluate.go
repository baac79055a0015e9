package hclfile

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// evaluate gives the attributes of a block and of all inside it their values.
func (l *loader) evaluate(b *Block) {
	for _, a := range b.attrs {
		l.evaluateAttr(b, a)
	}
	for _, child := range b.Blocks {
		l.evaluate(child)
	}
}

func (l *loader) evaluateAttr(b *Block, a *Attr) {
	switch a.Schema.Kind {
	case language.Type, language.Any, language.Condition:
		a.intact = a.intact || b.Schema.Free == nil
	case language.Reference:
		a.Value, a.intact = l.reference(a, a.source.expr)
	case language.References:
		a.Value, a.intact = l.references(a)
	default:
		if b.Schema.Name == "validation" {
			a.intact = true
			return
		}
		a.Value, a.intact = l.valueOf(a)
	}
}

func (l *loader) valueOf(a *Attr) (any, bool) {
	x, ok := l.compile(a.source.expr, scope{})
	if !ok {
		return nil, false
	}
	a.Varies = l.varies(x)
	v, ok := l.eval(x)
	if !ok || l.null(v, a) {
		return nil, false
	}
	return l.convert(a, x, v)
}

func (l *loader) convert(a *Attr, x *expression, v cty.Value) (any, bool) {
	switch a.Schema.Kind {
	case language.Bool:
		if v.Type() != cty.Bool {
			return nil, l.wrongType(a, a.Range, v, "true or false")
		}
		return v.True(), true
	case language.Int:
		return l.integer(a, v)
	case language.CPUs:
		return l.processors(a, v)
	case language.Regexes, language.Names:
		return l.list(a, x, v, "a list of strings")
	case language.Choices:
		return l.choices(a, x, v)
	case language.Environ:
		return l.environ(a, x, v)
	case language.Argv:
		return l.command(a, x, v)
	case language.Size:
		return l.size(a, v)
	}
	text, ok := l.text(a, a.Range, v)
	return text, ok && (a.Schema.Kind != language.Choice || l.choice(a, text, nil))
}

// text returns a value that must be a string.
func (l *loader) text(a *Attr, at problem.Range, v cty.Value) (Text, bool) {
	if v.Type() == cty.String && !v.IsNull() {
		return Text{v.AsString(), at}, true
	}
	if a.Schema.Kind == language.Duration && v.Type() == cty.Number {
		l.report(problem.New("E401", at, `Write it with its unit in quotes, for example "45m".`, "%s is a number without a unit", a.shown()))
		return Text{}, false
	}
	return Text{}, l.wrongType(a, at, v, wanted(a.Schema))
}

func wanted(a *language.Attr) string {
	if a.Kind == language.Duration || a.Kind == language.Size {
		return "a string, for example " + a.Example
	}
	return "a string"
}

// wrongType reports a value of another type than the attribute has.
func (l *loader) wrongType(a *Attr, at problem.Range, v cty.Value, want string) bool {
	if v.IsNull() {
		l.report(problem.New("E207", at, "Leave out what has no value.", "%s has a null in it", a.shown()))
		return false
	}
	hint := ""
	if a.Schema.Example != "" {
		hint = fmt.Sprintf("Write for example %s = %s.", a.Schema.Name, a.Schema.Example)
	}
	l.report(problem.New("E206", at, hint, "%s must be %s, this is %s", a.shown(), want, found(v.Type())))
	return false
}

// found names a type in words.
func found(ty cty.Type) string {
	switch {
	case ty == cty.String:
		return "a string"
	case ty == cty.Number:
		return "a number"
	case ty == cty.Bool:
		return "true or false"
	case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
		return "a list"
	case ty.IsObjectType() || ty.IsMapType():
		return "a map"
	}
	return ty.FriendlyName()
}

func (l *loader) integer(a *Attr, v cty.Value) (any, bool) {
	if v.Type() != cty.Number {
		return nil, l.wrongType(a, a.Range, v, "a whole number")
	}
	n, accuracy := v.AsBigFloat().Int64()
	if accuracy != big.Exact || n < a.Schema.Min || n > a.Schema.Max {
		l.report(problem.New("E403", a.Range, "", "%s must be a whole number from %d to %d", a.shown(), a.Schema.Min, a.Schema.Max))
		return nil, false
	}
	return n, true
}

// size returns a size as text; a number is one of bytes.
func (l *loader) size(a *Attr, v cty.Value) (any, bool) {
	if v.Type() != cty.Number {
		return l.text(a, a.Range, v)
	}
	n, accuracy := v.AsBigFloat().Int64()
	if accuracy != big.Exact || n < 0 {
		l.report(problem.New("E413", a.Range, `Write it as "500MB" or "2GiB", or as a whole number of bytes.`, "%s is no number of bytes", a.Schema.Name))
		return nil, false
	}
	return Text{Value: strconv.FormatInt(n, 10), Range: a.Range}, true
}

// processors returns thousandths, to the nearest of which a number is rounded.
func (l *loader) processors(a *Attr, v cty.Value) (any, bool) {
	if v.Type() != cty.Number {
		return nil, l.wrongType(a, a.Range, v, "a number")
	}
	const most = 1024
	n, _ := v.AsBigFloat().Float64()
	thousandths := int64(0)
	if n > 0 && n <= most {
		thousandths = int64(n*1000 + 0.5)
	}
	if thousandths < 10 {
		l.report(problem.New("E403", a.Range, "", "%s must be a number from 0.01 to %d", a.shown(), most))
		return nil, false
	}
	return thousandths, true
}
