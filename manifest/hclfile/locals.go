package hclfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// evaluateLocals evaluates every local after those that it names. A chain may be
// as long as a file, so nothing here calls itself.
func (l *loader) evaluateLocals() {
	waiting := l.compileLocals()
	users := map[string][]*value{}
	var ready []*value
	for _, name := range l.locNames {
		v := l.locals[name]
		for _, needed := range v.needs() {
			users[needed] = append(users[needed], v)
		}
		if waiting[name] == 0 {
			ready = append(ready, v)
		}
	}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		l.evaluateLocal(v)
		for _, user := range users[v.name.Value] {
			if waiting[user.name.Value]--; waiting[user.name.Value] == 0 {
				ready = append(ready, user)
			}
		}
	}
	l.cycles(waiting)
}

// compileLocals returns how many locals each one waits for.
func (l *loader) compileLocals() map[string]int {
	waiting := map[string]int{}
	for _, name := range l.locNames {
		v := l.locals[name]
		if x, ok := l.compile(v.attr.source.expr, scope{}); ok {
			v.depends = x
		}
		waiting[name] = len(v.needs())
	}
	return waiting
}

// needs returns the locals that a local names.
func (v *value) needs() (names []string) {
	if v.depends == nil {
		return nil
	}
	for _, r := range v.depends.refs {
		if r.root == "local" {
			names = append(names, r.name)
		}
	}
	return names
}

func (l *loader) evaluateLocal(v *value) {
	if v.depends == nil {
		return
	}
	v.varies = l.varies(v.depends)
	val, ok := l.eval(v.depends)
	if !ok || l.null(val, v.attr) {
		return
	}
	v.value, v.known = val, true
	v.attr.intact, v.attr.Varies = true, v.varies
}

// cycles reports the cycles among the locals that still wait.
func (l *loader) cycles(waiting map[string]int) {
	walked := map[string]int{} // in which walk, from 1
	for i, start := range l.locNames {
		var path []string
		name := start
		for waiting[name] > 0 && walked[name] == 0 {
			walked[name] = i + 1
			path = append(path, name)
			name = l.stillNeeded(name, waiting)
		}
		if len(path) > 0 && walked[name] == i+1 {
			l.cycle(path, name)
		}
	}
}

func (l *loader) stillNeeded(name string, waiting map[string]int) string {
	for _, needed := range l.locals[name].needs() {
		if waiting[needed] > 0 {
			return needed
		}
	}
	return name
}

// cycle reports the part of a path that begins with a name and leads back to it.
func (l *loader) cycle(path []string, first string) {
	const shown = 32
	for path[0] != first {
		path = path[1:]
	}
	var steps []string
	var related []problem.Related
	for i, name := range path {
		if i == shown {
			steps = append(steps, fmt.Sprintf("(%d more)", len(path)-shown))
			break
		}
		steps = append(steps, "local."+name)
		if i > 0 {
			related = append(related, problem.Related{Range: l.locals[name].name.Range, Message: "local." + name})
		}
	}
	steps = append(steps, "local."+first)
	p := problem.New("E307", l.locals[first].name.Range, "Take one of the names out of the value of another.", "locals need each other: %s", strings.Join(steps, " → "))
	p.Related = related
	l.report(p)
}

// unused warns of variables and locals that nothing names, unless what is reported
// may be meant to name them.
func (l *loader) unused() {
	misread := slices.ContainsFunc(l.problems, func(p problem.Problem) bool { return p.Code < "E4" })
	if l.doc.broken || len(l.doc.lost) > 0 || misread {
		return
	}
	for _, name := range l.varNames {
		if v := l.vars[name]; !v.used {
			l.report(problem.New("W602", v.name.Range, "Take it out, or use it as var."+name+".", "nothing uses the variable %q", name))
		}
	}
	for _, name := range l.locNames {
		if v := l.locals[name]; !v.used {
			l.report(problem.New("W603", v.name.Range, "Take it out, or use it as local."+name+".", "nothing uses the local %q", name))
		}
	}
}
