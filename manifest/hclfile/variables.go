package hclfile

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

const (
	environPrefix = "AI_SESSION_HANDLER_VAR_"
	flag          = "--var"
	howToGive     = "Give it by --var name=value, the environment variable " + environPrefix + "name or a var file, or declare a default."
)

// given is a value for a variable, and where it came from. Text that is one as
// it stands has no expression.
type given struct {
	from   Origin
	at     problem.Range
	expr   hclsyntax.Expression
	text   string
	faulty bool // that is reported
}

// declare notes the names of variables and locals, before anything is
// evaluated.
func (l *loader) declare() {
	for _, b := range l.doc.Blocks {
		switch b.Schema.Name {
		case "variable":
			v := &value{name: b.Label, block: b, varies: true}
			if l.first(l.vars, v, "variable") {
				l.varNames = append(l.varNames, v.name.Value)
			}
		case "locals":
			for _, a := range b.attrs {
				v := &value{name: Text{a.Schema.Name, a.NameRange}, attr: a}
				if l.first(l.locals, v, "local") {
					l.locNames = append(l.locNames, v.name.Value)
				}
			}
			if len(b.attrs) < len(b.written) {
				l.doc.lost["locals"] = true
			}
		}
	}
}

// first notes a name, or reports that there is one already.
func (l *loader) first(known map[string]*value, v *value, what string) bool {
	other, ok := known[v.name.Value]
	if !ok {
		known[v.name.Value] = v
		return true
	}
	p := problem.New("E306", v.name.Range, "Rename one of them, or take it out.", "there are two %ss named %q", what, v.name.Value)
	p.Related = []problem.Related{{Range: other.name.Range, Message: "first declared here"}}
	l.report(p)
	return false
}

// giveValues evaluates the variables.
func (l *loader) giveValues() {
	values := l.fromFiles()
	l.fromEnviron(values)
	l.fromFlags(values)
	for _, name := range l.varNames {
		v := l.vars[name]
		l.giveValue(v, values[name])
	}
}

func (l *loader) giveValue(v *value, from *given) {
	shown := Variable{Name: v.name, Range: v.block.Range}
	ty, typed := l.typeOf(v.block)
	if typed {
		shown.Type = typeName(ty)
	}
	preset := l.preset(v, ty, typed)
	if from == nil {
		from = preset
	}
	if from != nil && typed && !from.faulty {
		if v.value, v.known = l.fit(v, from, ty); v.known {
			shown.From = from.from
		}
	}
	if from == nil && !v.block.Has("default") && !l.doc.Lost("value") {
		l.report(problem.New("E410", v.block.Range, strings.Replace(howToGive, "name", v.name.Value, 2), "variable %q has no value", v.name.Value))
	}
	if d := find(v.block, "description"); d != nil {
		if text, ok := constant(d.source.expr, cty.String); ok {
			shown.Description = text.AsString()
		}
	}
	l.doc.variables = append(l.doc.variables, shown)
	l.validate(v, from)
}

func find(b *Block, name string) *Attr {
	for _, a := range b.attrs {
		if a.Schema.Name == name {
			return a
		}
	}
	return nil
}

// preset returns the default, which must fit the type even where another value
// is given.
func (l *loader) preset(v *value, ty cty.Type, typed bool) *given {
	attr := find(v.block, "default")
	if attr == nil {
		return nil
	}
	x, ok := l.compile(attr.source.expr, scope{nothing: "A default is the same whatever else the manifest says; only functions can be used in it."})
	if !ok {
		return nil
	}
	val, ok := l.eval(x)
	if !ok || l.null(val, attr) || !typed {
		return nil
	}
	from := &given{from: Origin{Kind: FromDefault}, at: attr.Range, expr: &hclsyntax.LiteralValueExpr{Val: val, SrcRange: attr.source.expr.Range()}}
	if _, ok := l.fit(v, from, ty); !ok {
		return nil
	}
	return from
}

func (l *loader) null(v cty.Value, attr *Attr) bool {
	if v.IsNull() {
		l.report(problem.New("E207", attr.Range, "Leave the argument out where it has no value.", "%s is null", attr.shown()))
		return true
	}
	return false
}

// fit makes a given value one of the type of its variable.
func (l *loader) fit(v *value, from *given, ty cty.Type) (cty.Value, bool) {
	val, ok := l.writtenOut(v, from)
	if !ok {
		return cty.NilVal, false
	}
	converted, err := convert.Convert(val, ty)
	if err != nil || !settled(converted) {
		l.report(problem.New("E410", from.at, "", "the value that variable %q has by %s is no %s", v.name.Value, from.from, typeName(ty)))
		return cty.NilVal, false
	}
	if sizeOf(converted, maxValue) > maxValue {
		l.report(problem.New("E006", from.at, "", "the value that variable %q has by %s is larger than 64 KiB", v.name.Value, from.from))
		return cty.NilVal, false
	}
	return converted, true
}

// writtenOut evaluates a given value, which names nothing. What is wrong inside
// it is not told, since that would show it.
func (l *loader) writtenOut(v *value, from *given) (cty.Value, bool) {
	if from.expr == nil {
		return cty.StringVal(from.text), true
	}
	reported := len(l.problems)
	x, ok := l.compile(from.expr, scope{nothing: "The value of a variable is written out."})
	if ok {
		val, ok := l.eval(x)
		if ok || l.budget.exhausted || l.budget.failed {
			return val, ok // too large, which is told
		}
	}
	l.problems = l.problems[:reported]
	l.unreadable(v.name.Value, from)
	return cty.NilVal, false
}

func (l *loader) unreadable(name string, from *given) {
	l.report(problem.New("E410", from.at, "Write the value as in a manifest: without names, texts in quotes.", "the value that variable %q has by %s can't be read", name, from.from))
}

// settled tells whether nothing in a value is null or unknown.
func settled(v cty.Value) bool {
	if v.IsNull() || !v.IsWhollyKnown() {
		return false
	}
	if !v.CanIterateElements() {
		return true
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, element := it.Element(); element.IsNull() {
			return false
		}
	}
	return true
}

// validate evaluates the conditions of a variable.
func (l *loader) validate(v *value, from *given) {
	for _, b := range v.block.Blocks {
		message, told := l.errorMessage(b)
		condition := find(b, "condition")
		if condition == nil {
			continue
		}
		x, ok := l.compile(condition.source.expr, scope{only: v.name.Value})
		if !ok || !v.known || from == nil {
			continue
		}
		val, ok := l.eval(x)
		switch {
		case !ok || l.null(val, condition):
		case val.Type() != cty.Bool:
			l.report(problem.New("E206", condition.Range, "", "%s must be true or false, this is %s", condition.shown(), found(val.Type())))
		case val.False() && told:
			p := problem.New("E407", from.at, message, "the value that variable %q has by %s is not accepted", v.name.Value, from.from)
			p.Related = []problem.Related{{Range: condition.Range, Message: "it does not meet this condition"}}
			l.report(p)
		}
	}
}

// errorMessage returns what to tell where a condition is not met. It is written
// out, so that it shows no value.
func (l *loader) errorMessage(b *Block) (string, bool) {
	attr := find(b, "error_message")
	if attr == nil {
		return "", false
	}
	x, ok := l.compile(attr.source.expr, scope{nothing: "A message shows no values."})
	if !ok {
		return "", false
	}
	val, ok := l.eval(x)
	if !ok || l.null(val, attr) {
		return "", false
	}
	if val.Type() != cty.String {
		l.wrongType(attr, attr.Range, val, "a string")
		return "", false
	}
	return val.AsString(), true
}
