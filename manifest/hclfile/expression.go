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

// value is what a variable or a local has.
type value struct {
	name    Text
	value   cty.Value
	known   bool // where not, something about it is reported
	varies  bool // it depends on the value of a variable
	used    bool
	attr    *Attr
	depends *expression // of a local
	block   *Block      // of a variable
}

// ref is a name in an expression: var.x, local.x or path.root.
type ref struct{ root, name string }

// expression is one that may be evaluated: all its names and functions are
// known.
type expression struct {
	source  hclsyntax.Expression // as written
	run     hclsyntax.Expression // the same, metered
	refs    []ref
	literal bool
}

// scope is what an expression may name.
type scope struct {
	nothing string // why there is nothing, a hint; empty where there is something
	only    string // the one variable
}

// compile makes an expression ready, or reports what is unknown in it.
func (l *loader) compile(e hclsyntax.Expression, s scope) (*expression, bool) {
	x := &expression{source: e, run: e}
	if x.literal = literal(e); x.literal {
		return x, true
	}
	var ok bool
	if x.refs, ok = l.names(e, s); !ok {
		l.functions(e)
		return nil, false
	}
	if known, unique := l.functions(e), l.uniqueKeys(e); !known || !unique {
		return nil, false
	}
	x.run = l.budget.meter(e)
	return x, true
}

// literal tells whether an expression is written out: texts, numbers, and lists
// of those.
func literal(e hclsyntax.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return e.Val.Type() != cty.Number || digits(e.Val) < 400
	case *hclsyntax.TemplateExpr:
		return len(e.Parts) == 1 && literal(e.Parts[0])
	case *hclsyntax.TupleConsExpr:
		for _, item := range e.Exprs {
			if !literal(item) {
				return false
			}
		}
		return true
	}
	return false
}

// names returns what an expression names, or reports what it may not.
func (l *loader) names(e hclsyntax.Expression, s scope) (refs []ref, ok bool) {
	ok = true
	seen := map[ref]bool{}
	for _, t := range e.Variables() {
		r, at := l.target(t)
		if found, bad := l.refused(r, at, s); bad {
			if found.Code != "" {
				l.report(found)
			}
			ok = false
			continue
		}
		if !seen[r] {
			seen[r] = true
			refs = append(refs, r)
		}
	}
	return refs, ok
}

// target returns the first two steps of a traversal, the second of which is
// empty where it is no name, and their place.
func (l *loader) target(t hcl.Traversal) (ref, problem.Range) {
	at := t[0].SourceRange()
	r := ref{root: t.RootName()}
	if len(t) > 1 {
		switch step := t[1].(type) {
		case hcl.TraverseAttr:
			r.name, at = step.Name, hcl.RangeBetween(at, step.SrcRange)
		case hcl.TraverseIndex:
			if step.Key.Type() == cty.String {
				r.name, at = step.Key.AsString(), hcl.RangeBetween(at, step.SrcRange)
			}
		}
	}
	return r, l.places.at(at)
}

// refused tells whether a name may not stand in an expression, and marks it as
// used where it may. The problem is empty where it is reported elsewhere already.
func (l *loader) refused(r ref, at problem.Range, s scope) (problem.Problem, bool) {
	switch {
	case s.nothing != "":
		return problem.New("E311", at, s.nothing, "%s can't be used here", clip(r.String())), true
	case s.only != "" && r != (ref{"var", s.only}):
		return problem.New("E311", at, fmt.Sprintf("A condition is about var.%s and nothing else.", s.only), "%s can't be used here", clip(r.String())), true
	case r.root == "var" && r.name != "":
		return l.unknown("variable", r, l.vars, l.varNames, at, s)
	case r.root == "local" && r.name != "":
		return l.unknown("locals", r, l.locals, l.locNames, at, s)
	case r.root == "path":
		return problem.New("E304", at, "There is path.root only.", "there is no %s", clip(r.String())), r.name != "root"
	case r.root == "var" || r.root == "local":
		return problem.New("E311", at, fmt.Sprintf("Write %s.name.", r.root), "%s is no value without a name", r.root), true
	}
	return problem.New("E311", at, l.elsewhere(r), "%s can't be used in an expression", clip(r.String())), true
}

func (r ref) String() string {
	if r.name == "" {
		return r.root
	}
	return r.root + "." + r.name
}

func (l *loader) unknown(block string, r ref, known map[string]*value, names []string, at problem.Range, s scope) (problem.Problem, bool) {
	if v := known[r.name]; v != nil {
		v.used = v.used || s.only == "" // its own validation is no use of a variable
		return problem.Problem{}, false
	}
	if l.doc.Lost(block) {
		return problem.Problem{}, true
	}
	what := map[string]string{"var": "variable", "local": "local"}[r.root]
	return problem.New("E304", at, l.didYouMean(r.name, names, r.root+".%s", howToDeclare(r)), "no %s is named %q", what, clip(r.name)), true
}

func howToDeclare(r ref) string {
	name := r.name
	if !namePattern().MatchString(name) {
		name = "name"
	}
	if r.root == "var" {
		return fmt.Sprintf("Declare it: variable %q { … }.", name)
	}
	return fmt.Sprintf("Declare it: locals { %s = … }.", name)
}

// elsewhere is the hint for a name of another kind.
func (l *loader) elsewhere(r ref) string {
	switch r.root {
	case "env":
		return "The environment is not part of a manifest: declare a variable, which AI_SESSION_HANDLER_VAR_name can give."
	case "each", "count", "self":
		return "There is no such name in a manifest; only var, local and path.root can be used in expressions."
	}
	return "Blocks are not values; only var, local and path.root can be used in expressions."
}

// functions reports the functions of an expression that there are not.
func (l *loader) functions(e hclsyntax.Expression) bool {
	ok := true
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		call, is := n.(*hclsyntax.FunctionCallExpr)
		if _, known := functions()[callName(call, is)]; is && !known {
			ok = false
			l.report(problem.New("E305", l.places.at(call.NameRange), l.functionHint(call.Name), "there is no function %s", clip(call.Name)))
		}
		return nil
	})
	return ok
}

func callName(call *hclsyntax.FunctionCallExpr, is bool) string {
	if !is {
		return ""
	}
	return call.Name
}

func (l *loader) functionHint(name string) string {
	list := "There are " + strings.Join(functionNames(), ", ") + "."
	switch name {
	case "file", "fileexists", "fileset", "templatefile", "pathexpand", "abspath", "env", "getenv", "get_env", "timestamp", "now", "formatdate", "timeadd", "uuid", "random":
		return "A manifest means the same on every machine and at all times: no function reads files, the environment, the time or random numbers."
	}
	return strings.TrimSpace(l.didYouMean(name, functionNames(), "%s", "") + " " + list)
}

func functionNames() (names []string) {
	for name := range functions() {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
