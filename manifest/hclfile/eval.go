package hclfile

import (
	"errors"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// eval returns the value of an expression. Where it has none, that is reported,
// or was.
func (l *loader) eval(x *expression) (v cty.Value, ok bool) {
	if l.budget.exhausted {
		return cty.NilVal, false
	}
	ctx, ok := l.context(x)
	if !ok {
		return cty.NilVal, false
	}
	l.budget.begin()
	v, diags := run(x.run, ctx)
	at := x.source.Range()
	switch {
	case l.budget.failed:
		l.overspent(l.budget.at)
		return cty.NilVal, false
	case diags.HasErrors():
		l.failed(x, diags)
		return cty.NilVal, false
	case !v.IsWhollyKnown() || v.ContainsMarked():
		l.report(problem.New("E409", l.places.at(at), "", "the expression has no value"))
		return cty.NilVal, false
	}
	if !l.budget.keep(v) {
		l.overspent(at)
		return cty.NilVal, false
	}
	return v, true
}

// overspent reports why the budget ended the evaluation of an expression.
func (l *loader) overspent(at hcl.Range) {
	if l.budget.infinite {
		l.report(problem.New("E409", l.places.at(at), "", "the expression has no value: a number is infinite, as after a division by zero"))
		return
	}
	l.report(problem.New("E006", l.places.at(at), valueHint, "%s", l.budget.why))
}

// run evaluates an expression. HCL does not promise that it never panics, and a
// manifest is no reason to end.
func run(e hclsyntax.Expression, ctx *hcl.EvalContext) (v cty.Value, diags hcl.Diagnostics) {
	defer func() {
		if r := recover(); r != nil {
			v, diags = cty.DynamicVal, hcl.Diagnostics{{
				Severity: hcl.DiagError, Summary: "The expression can't be evaluated", Subject: e.Range().Ptr(),
			}}
		}
	}()
	return e.Value(ctx)
}

// failed reports why an expression has no value, without what HCL says in
// detail where that may show the value of a variable.
func (l *loader) failed(x *expression, diags hcl.Diagnostics) {
	seen := map[problem.Range]bool{}
	for _, d := range diags {
		at := l.subject(d)
		if d.Severity != hcl.DiagError || seen[at] || len(seen) > 8 {
			continue
		}
		seen[at] = true
		if tooLarge(d) {
			l.report(problem.New("E006", at, valueHint, "%s", errLargeResult))
			continue
		}
		text := oneLine(d)
		if l.varies(x) {
			text = strings.ToLower(d.Summary[:1]) + d.Summary[1:]
		}
		l.report(problem.New("E409", at, "", "%s", text))
	}
}

func tooLarge(d *hcl.Diagnostic) bool {
	call, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
	return ok && errors.Is(call.FunctionCallError(), errLargeResult)
}

// varies tells whether an expression depends on the value of a variable.
func (l *loader) varies(x *expression) bool {
	for _, r := range x.refs {
		if r.root == "var" || r.root == "local" && l.locals[r.name] != nil && l.locals[r.name].varies {
			return true
		}
	}
	return false
}

// context returns what an expression may see: what it names and no more, so that
// a thousand locals are not copied for each of a thousand expressions.
func (l *loader) context(x *expression) (*hcl.EvalContext, bool) {
	if x.literal {
		return nil, true
	}
	groups := map[string]map[string]cty.Value{}
	for _, r := range x.refs {
		v, ok := l.lookup(r)
		if !ok {
			return nil, false
		}
		if groups[r.root] == nil {
			groups[r.root] = map[string]cty.Value{}
		}
		groups[r.root][r.name] = v
	}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: functions()}
	for root, group := range groups {
		ctx.Variables[root] = cty.ObjectVal(group)
	}
	return ctx, true
}

func (l *loader) lookup(r ref) (cty.Value, bool) {
	switch r.root {
	case "path":
		return cty.StringVal(l.in.Root), true
	case "var":
		v := l.vars[r.name]
		return v.value, v.known
	}
	v := l.locals[r.name]
	return v.value, v.known
}
