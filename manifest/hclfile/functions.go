package hclfile

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions is the closed list of what expressions may call. All are pure: a
// manifest means the same on every machine. It is made when a manifest is read,
// since every start of the program would take the time.
var functions = sync.OnceValue(func() map[string]function.Function {
	return map[string]function.Function{
		"coalesce":    stdlib.CoalesceFunc,
		"concat":      stdlib.ConcatFunc,
		"contains":    contains(),
		"format":      bounded(stdlib.FormatFunc, sizeOfFormat),
		"join":        bounded(stdlib.JoinFunc, sizeOfJoin),
		"keys":        stdlib.KeysFunc,
		"length":      stdlib.LengthFunc,
		"lower":       stdlib.LowerFunc,
		"merge":       stdlib.MergeFunc,
		"regexescape": regexEscape(),
		"replace":     bounded(stdlib.ReplaceFunc, sizeOfReplace),
		"split":       stdlib.SplitFunc,
		"tolist":      stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tonumber":    stdlib.MakeToFunc(cty.Number),
		"tostring":    stdlib.MakeToFunc(cty.String),
		"trimspace":   stdlib.TrimSpaceFunc,
		"upper":       stdlib.UpperFunc,
		"values":      stdlib.ValuesFunc,
	}
})

// contains is that of the standard library without its comparison, which looks
// at all of the value once more for each element.
func contains() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "list", Type: cty.DynamicPseudoType},
			{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true},
		},
		Type: func(args []cty.Value) (cty.Type, error) {
			if ty := args[0].Type(); ty != cty.DynamicPseudoType && !isList(ty) && !ty.IsSetType() {
				return cty.NilType, function.NewArgErrorf(0, "must be a list")
			}
			return cty.Bool, nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			for it := args[0].ElementIterator(); it.Next(); {
				_, element := it.Element()
				if element.RawEquals(args[1]) || element.IsNull() && args[1].IsNull() {
					return cty.True, nil
				}
			}
			return cty.False, nil
		},
	})
}

func regexEscape() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.StringVal(regexp.QuoteMeta(args[0].AsString())), nil
		},
	})
}

var errLargeResult = errors.New("the result is larger than 64 KiB")

// bounded refuses a call before it makes a large result. Only functions whose
// result can be much larger than their arguments together need it.
func bounded(f function.Function, size func([]cty.Value) int) function.Function {
	spec := &function.Spec{
		Params:   f.Params(),
		VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if allKnown(args) && size(args) > maxValue {
				return cty.DynamicPseudoType, errLargeResult
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(args) },
	}
	return function.New(spec)
}

func allKnown(args []cty.Value) bool {
	for _, a := range args {
		if !a.IsWhollyKnown() || a.IsNull() {
			return false
		}
	}
	return true
}

func sizeOfReplace(args []cty.Value) int {
	text, old, replacement := args[0].AsString(), args[1].AsString(), args[2].AsString()
	return len(text) + strings.Count(text, old)*len(replacement)
}

func sizeOfJoin(args []cty.Value) int {
	size := 0
	for _, list := range args[1:] {
		size += sizeOf(list, maxValue) + list.LengthInt()*len(args[0].AsString())
	}
	return size
}

var wide = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[^a-zA-Z%]*[0-9]{4}`) })

// sizeOfFormat is no less than the result: each verb may show the largest
// argument.
func sizeOfFormat(args []cty.Value) int {
	text := args[0].AsString()
	if wide().MatchString(text) {
		return maxValue + 1
	}
	const width = 1000
	largest := 0
	for _, a := range args[1:] {
		if isHugeNumber(a) {
			return maxValue + 1
		}
		largest = max(largest, sizeOf(a, maxValue))
	}
	verbs := strings.Count(text, "%")
	if strings.ContainsAny(text, "0123456789") {
		largest += width
	}
	return len(text) + verbs*largest
}

// isHugeNumber tells whether a value is, or HCL can make of it, a number that
// takes more than a large text to write out.
func isHugeNumber(v cty.Value) bool {
	if v.IsMarked() || !v.IsKnown() || v.IsNull() {
		return false
	}
	if v.Type() == cty.String {
		if len(v.AsString()) > maxValue {
			return true
		}
		number, err := convert.Convert(v, cty.Number)
		return err == nil && digits(number) > maxValue
	}
	return v.Type() == cty.Number && digits(v) > maxValue
}
