package hclfile

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// types are those that a variable may have, as a manifest writes them.
var types = map[string]cty.Type{
	"string":       cty.String,
	"number":       cty.Number,
	"bool":         cty.Bool,
	"list(string)": cty.List(cty.String),
	"map(string)":  cty.Map(cty.String),
}

func typeName(ty cty.Type) string {
	for name, known := range types {
		if known.Equals(ty) {
			return name
		}
	}
	return ty.FriendlyName()
}

// typeOf reads the type of a variable.
func (l *loader) typeOf(b *Block) (cty.Type, bool) {
	attr := find(b, "type")
	if attr == nil {
		return cty.String, !b.Has("type")
	}
	word := keyword(attr.source)
	if ty, ok := types[word]; ok {
		return ty, true
	}
	var known []string
	for name := range types {
		known = append(known, name)
	}
	sort.Strings(known)
	hint := "Write one of " + strings.Join(known, ", ") + ", without quotes."
	if word != "" {
		hint = strings.TrimSpace(l.didYouMean(word, known, "%s", "") + " " + hint)
	}
	l.report(problem.New("E206", attr.Range, hint, "this is not a type of a variable"))
	return cty.NilType, false
}

// keyword returns the type that an expression is written as: a name, or one
// with another in brackets.
func keyword(a rawAttr) string {
	if a.json {
		if text, ok := constant(a.expr, cty.String); ok {
			return text.AsString()
		}
		return ""
	}
	if call, ok := a.expr.(*hclsyntax.FunctionCallExpr); ok && len(call.Args) == 1 && !call.ExpandFinal {
		return fmt.Sprintf("%s(%s)", call.Name, hcl.ExprAsKeyword(call.Args[0]))
	}
	return hcl.ExprAsKeyword(a.expr)
}
