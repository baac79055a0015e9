package hclfile

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Bounds of values, in bytes. Each element and each key counts some more than
// its text. Work is the sum of every value that is made on the way.
const (
	maxValue  = 64 << 10
	maxValues = 4 << 20
	maxWork   = 32 << 20
	perNode   = 32
	perFault  = 1024
)

const valueHint = "A value has at most 64 KiB, all of them together 4 MiB."

// budget is what evaluation may still take. A few lines can ask for more values
// than a machine can hold.
type budget struct {
	kept      int
	work      int
	exhausted bool // of all expressions; nothing is evaluated any more

	failed   bool // of the expression that is being evaluated
	infinite bool // and that because a number is, which is no number for a manifest
	at       hcl.Range
	why      string
}

func (b *budget) begin() { b.failed, b.infinite, b.why = false, false, "" }

func (b *budget) fail(at hcl.Range, why string) {
	if !b.failed {
		b.failed, b.at, b.why = true, at, why
	}
}

// keep counts a value that stays, or tells that it is too large to.
func (b *budget) keep(v cty.Value) bool {
	size := sizeOf(v, maxValue)
	if size > maxValue {
		b.failed, b.why = true, "the value is larger than 64 KiB"
		return false
	}
	if b.kept += size; b.kept > maxValues {
		b.failed, b.exhausted = true, true
		b.why = "the values of the manifest are larger than 4 MiB together"
		return false
	}
	return true
}

// metered is an expression whose value is counted as soon as it is there.
type metered struct {
	hclsyntax.Expression
	budget *budget
}

// Value is that of the expression, or unknown as soon as the budget is used up.
// Then nothing more is said about it: eval does.
func (m *metered) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if m.budget.failed {
		return cty.DynamicVal, nil
	}
	v, diags := m.Expression.Value(ctx)
	m.budget.count(v, len(diags), m.Range())
	if m.budget.failed {
		return cty.DynamicVal, nil
	}
	return v, diags
}

func (b *budget) count(v cty.Value, faults int, at hcl.Range) {
	if isInfinite(v) && !b.failed {
		b.fail(at, "")
		b.infinite = true
		return
	}
	size := sizeOf(v, maxValue)
	if b.work += perNode + size + faults*perFault; b.work > maxWork {
		b.exhausted = true
		b.fail(at, "the expressions of the manifest make more than 32 MiB of values on the way")
	}
	if size > maxValue {
		b.fail(at, "a value on the way is larger than 64 KiB")
	}
}

// sizeOf returns how large a value is, or something larger than limit.
func sizeOf(v cty.Value, limit int) int {
	if v.IsMarked() || !v.IsKnown() || v.IsNull() {
		return perNode
	}
	switch ty := v.Type(); {
	case ty == cty.String:
		return perNode + len(v.AsString())
	case ty == cty.Number:
		return perNode + digits(v)
	case !v.CanIterateElements():
		return perNode
	}
	size := perNode
	for it := v.ElementIterator(); size <= limit && it.Next(); {
		key, element := it.Element()
		if key.Type() == cty.String {
			size += perNode + len(key.AsString())
		}
		size += sizeOf(element, limit-size)
	}
	return size
}

func isInfinite(v cty.Value) bool {
	return !v.IsMarked() && v.IsKnown() && !v.IsNull() && v.Type() == cty.Number && v.AsBigFloat().IsInf()
}

// digits is about how many digits a number has when it is written out, on
// either side of the point.
func digits(v cty.Value) int {
	if v.IsNull() || !v.IsKnown() {
		return 0
	}
	f := v.AsBigFloat()
	if f.IsInf() {
		return maxValue + 1
	}
	return max(f.MantExp(nil), -f.MantExp(nil)) / 3
}

// meter replaces every part of an expression by a metered one.
func (b *budget) meter(e hclsyntax.Expression) hclsyntax.Expression {
	b.meterParts(e)
	return &metered{Expression: e, budget: b}
}

func (b *budget) meterParts(e hclsyntax.Expression) {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		e.Expression = b.meter(e.Expression)
	case *hclsyntax.RelativeTraversalExpr:
		e.Source = b.meter(e.Source)
	case *hclsyntax.FunctionCallExpr:
		b.meterAll(e.Args)
	case *hclsyntax.ConditionalExpr:
		e.Condition, e.TrueResult, e.FalseResult = b.meter(e.Condition), b.meter(e.TrueResult), b.meter(e.FalseResult)
	case *hclsyntax.IndexExpr:
		e.Collection, e.Key = b.meter(e.Collection), b.meter(e.Key)
	case *hclsyntax.TupleConsExpr:
		b.meterAll(e.Exprs)
	case *hclsyntax.ObjectConsExpr:
		for i, item := range e.Items {
			b.meterKey(item.KeyExpr)
			e.Items[i].ValueExpr = b.meter(item.ValueExpr)
		}
	case *hclsyntax.ForExpr:
		b.meterFor(e)
	case *hclsyntax.SplatExpr:
		e.Source, e.Each = b.meter(e.Source), b.meter(e.Each)
	case *hclsyntax.TemplateExpr:
		b.meterAll(e.Parts)
	case *hclsyntax.TemplateJoinExpr:
		e.Tuple = b.meter(e.Tuple)
	case *hclsyntax.TemplateWrapExpr:
		e.Wrapped = b.meter(e.Wrapped)
	case *hclsyntax.BinaryOpExpr:
		e.LHS, e.RHS = b.meterOperand(e.LHS), b.meterOperand(e.RHS)
	case *hclsyntax.UnaryOpExpr:
		e.Val = b.meterOperand(e.Val)
	}
}

func (b *budget) meterAll(parts []hclsyntax.Expression) {
	for i := range parts {
		parts[i] = b.meter(parts[i])
	}
}

// meterKey leaves the key itself alone: HCL looks at its type to tell names from
// expressions.
func (b *budget) meterKey(key hclsyntax.Expression) {
	k, ok := key.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		b.meterParts(key)
		return
	}
	if _, isName := k.Wrapped.(*hclsyntax.ScopeTraversalExpr); isName || hcl.ExprAsKeyword(k.Wrapped) != "" {
		return
	}
	k.Wrapped = b.meter(k.Wrapped)
}

func (b *budget) meterFor(e *hclsyntax.ForExpr) {
	e.CollExpr, e.ValExpr = b.meter(e.CollExpr), b.meter(e.ValExpr)
	if e.KeyExpr != nil {
		e.KeyExpr = b.meter(e.KeyExpr)
	}
	if e.CondExpr != nil {
		e.CondExpr = b.meter(e.CondExpr)
	}
}

// meterOperand meters an operand that HCL makes a number of: a short text can
// name a number that is long.
func (b *budget) meterOperand(e hclsyntax.Expression) hclsyntax.Expression {
	return &operand{metered{Expression: b.meter(e), budget: b}}
}

type operand struct{ metered }

// Value is that of the operand, counted as the number that it may be.
func (o *operand) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := o.Expression.Value(ctx)
	if isHugeNumber(v) {
		o.budget.fail(o.Range(), "a number on the way has more than 64 KiB of digits")
		return cty.DynamicVal, nil
	}
	return v, diags
}
