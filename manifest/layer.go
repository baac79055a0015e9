package manifest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// Layer is what one place says about how phases run, by the names of
// attributes. The blocks of a manifest are layers, and so are config.json and the
// flags of a command line.
type Layer map[string]Setting

// Setting is one value and where it came from. The type of Value depends on the
// kind of the attribute: string, bool, int64, time.Duration, []Item,
// map[string]Item, Retry, or Command.
type Setting struct {
	Value  any
	Origin Origin
}

// Item is an element of a list, or a value of a map.
type Item struct {
	Text   string
	Origin Origin
}

// Origin is where a value came from.
type Origin struct {
	Name  string        // for people: "agent.codex", "--timeout", "built-in default"
	Range problem.Range // in a manifest; no place for others
}

// String is the name, and the file and line where there is one.
func (o Origin) String() string {
	if o.Range.File == "" {
		return o.Name
	}
	return fmt.Sprintf("%s:%d (%s)", o.Range.File, o.Range.Start.Line, o.Name)
}

// List makes the value of a list attribute of which all came from one place.
func List(texts []string, from Origin) []Item {
	items := make([]Item, len(texts))
	for i, text := range texts {
		items[i] = Item{text, from}
	}
	return items
}

// texts is the opposite of List.
func texts(items []Item) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = item.Text
	}
	return list
}

// merge puts layers on top of each other, the last one uppermost: scalars and
// lists replace, maps merge by key, and lists that add up add up, each element
// once. It shares no map with them.
func merge(layers ...Layer) Layer {
	merged := Layer{}
	for _, layer := range layers {
		for name, upper := range layer {
			upper.Value = onTop(name, merged[name].Value, upper.Value)
			merged[name] = upper
		}
	}
	return merged
}

func onTop(name string, lower, upper any) any {
	switch upper := upper.(type) {
	case map[string]Item:
		both := map[string]Item{}
		if lower, ok := lower.(map[string]Item); ok {
			maps.Copy(both, lower)
		}
		maps.Copy(both, upper)
		return both
	case []Item:
		if addsUp[name] {
			lower, _ := lower.([]Item)
			return addUp(lower, upper)
		}
	}
	return upper
}

// addUp returns each text of both lists once, where it stands first.
func addUp(lists ...[]Item) []Item {
	both, known := []Item{}, map[string]bool{}
	for _, item := range slices.Concat(lists...) {
		if !known[item.Text] {
			known[item.Text] = true
			both = append(both, item)
		}
	}
	return both
}

// addsUp names the attributes whose lists add up.
var addsUp = func() map[string]bool {
	names := map[string]bool{}
	defaults, _ := language.Manifest().Block("defaults")
	for _, attr := range defaults.Attrs {
		names[attr.Name] = attr.AddsUp
	}
	return names
}()
