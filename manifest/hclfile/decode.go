package hclfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

var (
	namePattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(language.NamePattern) })
	phasePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,17}$`) })
)

// decode puts what stands in bodies into b, by the table.
func (l *loader) decode(b *Block, bodies []hcl.Body) {
	b.written = map[string]bool{}
	for _, body := range bodies {
		attrs, blocks := l.contents(body, b.Schema)
		for _, raw := range attrs {
			l.decodeAttr(b, raw)
		}
		for _, raw := range blocks {
			if l.blocks > maxBlocks {
				return
			}
			l.decodeBlock(b, raw)
		}
	}
	if b.Schema.Free == nil {
		order(b)
	}
}

// order puts attributes into the order of the table.
func order(b *Block) {
	place := func(a *Attr) int {
		return slices.IndexFunc(b.Schema.Attrs, func(of language.Attr) bool { return of.Name == a.Schema.Name })
	}
	slices.SortFunc(b.attrs, func(x, y *Attr) int { return place(x) - place(y) })
}

func (l *loader) decodeAttr(b *Block, raw rawAttr) {
	schema, ok := b.Schema.Attr(raw.name)
	if !ok {
		l.unknownAttr(b, raw)
		return
	}
	b.written[raw.name] = true
	if raw.expr == nil {
		return
	}
	if b.Schema.Free != nil && !namePattern().MatchString(raw.name) {
		l.badName(l.places.at(raw.nameRange), raw.name, b.Schema.Name)
		return
	}
	b.attrs = append(b.attrs, &Attr{
		Schema: schema, NameRange: l.places.at(raw.nameRange), Range: l.places.at(raw.expr.Range()), source: raw, within: within(b.Schema),
	})
}

// within is what messages put before the name of an argument: in retry, "on"
// alone says too little.
func within(b *language.Block) string {
	if _, top := language.Manifest().Block(b.Name); top || b.Label != "" {
		return ""
	}
	return b.Name + "."
}

func (l *loader) unknownAttr(b *Block, raw rawAttr) {
	at := l.places.at(raw.nameRange)
	if _, ok := b.Schema.Block(raw.name); ok {
		l.report(problem.New("E203", at, fmt.Sprintf("Write %s { … }.", raw.name), "%s is a block, not an argument", raw.name))
		return
	}
	l.report(problem.New("E203", at, l.insteadOf(b, raw.name), "%s has no argument %s", title(b.Schema), clip(raw.name)))
}

// insteadOf is the hint for an argument that a block has not. One that is meant
// counts as written, so that nobody says it is missing.
func (l *loader) insteadOf(b *Block, name string) string {
	if b.Schema.Name == "variable" && name == "sensitive" {
		return "Values of secrets never enter a manifest: name the variable of the environment in secret_env."
	}
	others := holders(hasAttr(name))
	if len(others) > 0 && len(b.Schema.Attrs) > 0 {
		return belongs(others)
	}
	if meant, ok := l.closest(name, names(b.Schema)); ok {
		b.written[meant] = true
		if _, is := b.Schema.Block(meant); is { // as an unknown block of the JSON form comes
			l.doc.lost[meant] = true
		}
		return fmt.Sprintf("Did you mean %s?", meant)
	}
	if len(others) > 0 {
		return belongs(others)
	}
	return allowed(b.Schema)
}

func hasAttr(name string) func(*language.Block) bool {
	return func(b *language.Block) bool { _, is := b.Attr(name); return is && b.Free == nil }
}

func hasBlock(name string) func(*language.Block) bool {
	return func(b *language.Block) bool { _, is := b.Block(name); return is }
}

// holders returns the types of blocks that have something, as a hint names them.
func holders(has func(*language.Block) bool) (all []string) {
	seen := map[*language.Block]bool{}
	var visit func(*language.Block)
	visit = func(b *language.Block) {
		if seen[b] {
			return
		}
		seen[b] = true
		if has(b) {
			all = append(all, inside(b))
		}
		for _, child := range b.Blocks {
			visit(child)
		}
	}
	visit(language.Manifest())
	return all
}

func belongs(holders []string) string {
	last := len(holders) - 1
	if last == 0 {
		return "It belongs " + holders[0] + "."
	}
	return "It belongs " + strings.Join(holders[:last], ", ") + " or " + holders[last] + "."
}

// inside is the place in a block of a type.
func inside(b *language.Block) string {
	switch {
	case b.Name == "":
		return "at the top level"
	case b.Once:
		return "in " + b.Name
	case strings.ContainsAny(b.Name[:1], "aeiou"):
		return "in an " + b.Name
	}
	return "in a " + b.Name
}

// names returns what may stand in a block.
func names(in *language.Block) (all []string) {
	for _, a := range in.Attrs {
		all = append(all, a.Name)
	}
	for _, b := range in.Blocks {
		all = append(all, b.Name)
	}
	return all
}

func allowed(in *language.Block) string {
	all := names(in)
	if len(all) == 0 {
		return ""
	}
	return "There may be " + strings.Join(all, ", ") + "."
}

// title names a type of block in a message.
func title(b *language.Block) string {
	if b.Name == "" {
		return "a manifest"
	}
	return b.Name
}

// clip shortens what others wrote, for a message.
func clip(s string) string {
	const most = 100
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

func (l *loader) decodeBlock(parent *Block, raw rawBlock) {
	if l.blocks++; l.blocks > maxBlocks {
		l.report(problem.New("E007", l.places.at(raw.header), "Divide the plans among several manifests.", "the manifest has more than %d blocks", maxBlocks))
		l.doc.broken = true
		return
	}
	schema, ok := parent.Schema.Block(raw.typeName)
	if !ok {
		l.unknownBlock(parent.Schema, raw)
		return
	}
	if !l.labelled(schema, raw) {
		l.doc.lost[schema.Name] = true
		return
	}
	b := &Block{Schema: schema, Range: l.places.at(raw.header)}
	if schema.Label != "" {
		b.Label = Text{Value: raw.labels[0], Range: l.places.at(raw.labelsAt[0])}
	}
	if !l.once(parent, b) {
		l.doc.lost[schema.Name] = true
		return
	}
	l.decode(b, []hcl.Body{raw.body})
	l.required(b)
	if l.named(b) {
		parent.Blocks = append(parent.Blocks, b)
	} else {
		l.doc.lost[schema.Name] = true
	}
}

func (l *loader) unknownBlock(in *language.Block, raw rawBlock) {
	at := l.places.at(raw.typeAt)
	if a, ok := in.Attr(raw.typeName); ok && in.Free == nil {
		l.report(problem.New("E201", at, fmt.Sprintf("Write %s = %s.", a.Name, a.Example), "%s is an argument, not a block", a.Name))
		return
	}
	var types []string
	for _, b := range in.Blocks {
		types = append(types, b.Name)
	}
	hint := "There may be no block."
	if len(types) > 0 {
		hint = "There may be " + strings.Join(types, ", ") + "."
	}
	if meant, ok := l.closest(raw.typeName, types); ok {
		l.doc.lost[meant] = true
		hint = fmt.Sprintf("Did you mean %s?", meant)
	} else if others := holders(hasBlock(raw.typeName)); len(others) > 0 {
		hint = belongs(others)
	}
	l.report(problem.New("E201", at, hint, "%s has no block %s", title(in), clip(raw.typeName)))
}

// labelled reports a wrong number of labels.
func (l *loader) labelled(schema *language.Block, raw rawBlock) bool {
	wanted := 0
	if schema.Label != "" {
		wanted = 1
	}
	if len(raw.labels) == wanted {
		return true
	}
	at, hint := l.places.at(raw.header), fmt.Sprintf("Write %s { … }.", schema.Name)
	if wanted == 1 {
		hint = fmt.Sprintf("Write %s \"…\" { … } with the %s.", schema.Name, schema.Label)
	}
	if len(raw.labels) > wanted {
		at = l.places.at(raw.labelsAt[wanted])
	}
	l.report(problem.New("E204", at, hint, "%s takes %s, and here is %s", schema.Name, labelCount(wanted), labelCount(len(raw.labels))))
	return false
}

func labelCount(n int) string {
	switch n {
	case 0:
		return "no label"
	case 1:
		return "one label"
	}
	return "more than one"
}

// named reports a label that is no name.
func (l *loader) named(b *Block) bool {
	switch {
	case b.Schema.Label == "":
		return true
	case b.Schema.Name == "phase":
		if !phasePattern().MatchString(b.Label.Value) {
			l.report(problem.New("E205", b.Label.Range, `Write the number in quotes, for example phase "3".`, "%q is not the number of a phase", clip(b.Label.Value)))
			return false
		}
	case !namePattern().MatchString(b.Label.Value):
		l.badName(b.Label.Range, b.Label.Value, b.Schema.Name)
		return false
	}
	return true
}

func (l *loader) badName(at problem.Range, name, of string) {
	l.report(problem.New("E205", at, "A name has at most 64 characters: small letters, digits, _ and -, beginning with a letter.", "%q is not a name for %s", clip(name), of))
}

// once reports a block that stands twice in its parent where it may stand once.
func (l *loader) once(parent, b *Block) bool {
	if !b.Schema.Once {
		return true
	}
	for _, other := range parent.Blocks {
		if other.Schema == b.Schema {
			p := problem.New("E208", b.Range, "Take one of them out, or join them.", "there may be one block %s only", b.Schema.Name)
			p.Related = []problem.Related{{Range: other.Range, Message: "the first one"}}
			l.report(p)
			return false
		}
	}
	return true
}

// required reports the arguments that must be there and are not.
func (l *loader) required(b *Block) {
	for _, a := range b.Schema.Attrs {
		if a.Required && !b.written[a.Name] {
			l.report(problem.New("E202", b.Range, fmt.Sprintf("Add %s = %s.", a.Name, a.Example), "%s has no %s", describe(b), a.Name))
		}
	}
}

func describe(b *Block) string {
	if b.Schema.Label == "" {
		return b.Schema.Name
	}
	return fmt.Sprintf("%s %q", b.Schema.Name, clip(b.Label.Value))
}
