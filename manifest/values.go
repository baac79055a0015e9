package manifest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/ai-session-handler/ai-session-handler/engine/match"
	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// layer makes a layer of what a block says. What is wrong is reported and left
// out.
func (b *builder) layer(block *hclfile.Block, name string) Layer {
	layer := Layer{}
	for _, attr := range block.Attrs() {
		from := Origin{name, attr.Range}
		switch attr.Schema.Name {
		case "abstract": // of the block itself, which none inherits
		case "agent":
			ref, _ := attr.Value.(hclfile.Ref)
			b.refs = append(b.refs, ref)
			layer["agent"] = Setting{ref.Name, from}
		default:
			if value, ok := b.value(attr, name); ok {
				layer[attr.Schema.Name] = Setting{value, from}
			}
		}
	}
	if _, intact := layer["agent"]; !intact && block.Has("agent") {
		layer["agent"] = Setting{"", Origin{name, block.Range}} // reported already; it is not missing
	}
	for _, child := range block.Blocks {
		if child.Schema.Name == "retry" {
			if retry, ok := b.retry(child); ok {
				layer["retry"] = Setting{retry, Origin{name, child.Range}}
			}
		}
	}
	return layer
}

// value checks one attribute by its kind. ok is false for one that is no setting
// or that was reported.
func (b *builder) value(attr *hclfile.Attr, name string) (value any, ok bool) {
	switch attr.Schema.Kind {
	case language.Duration:
		return b.duration(attr)
	case language.Size:
		return b.size(attr)
	case language.Regexes:
		return b.regexes(attr, name)
	case language.Names:
		return b.names(attr, name)
	case language.Environ:
		return b.environ(attr, name)
	case language.Argv:
		return b.command(attr)
	case language.Choice:
		text, ok := attr.Value.(hclfile.Text)
		return text.Value, ok
	case language.Bool, language.Int, language.CPUs:
		return attr.Value, true
	}
	return nil, false
}

// quoted is a text for a message, unless it depends on a variable, whose value is
// not shown.
func quoted(attr *hclfile.Attr, text hclfile.Text) string {
	if attr.Varies {
		return "the value of this expression"
	}
	return strconv.Quote(text.Value)
}

func (b *builder) duration(attr *hclfile.Attr) (value time.Duration, ok bool) {
	text, _ := attr.Value.(hclfile.Text)
	if attr.Schema.Off && text.Value == "none" {
		return off, true
	}
	hint := `Write it as "45m" or "1h30m".`
	if attr.Schema.Off {
		hint = `Write it as "45m" or "1h30m", or "none" for no limit.`
	}
	value, err := time.ParseDuration(text.Value)
	switch {
	case err != nil:
		b.report("E401", text.Range, hint, "%s: %s is not a duration", attr.Schema.Name, quoted(attr, text))
	case value <= 0:
		b.report("E401", text.Range, hint, "%s: %s is not more than nothing", attr.Schema.Name, quoted(attr, text))
	case value > language.MaxDuration:
		b.report("E401", text.Range, hint, "%s: %s is more than %gh", attr.Schema.Name, quoted(attr, text), language.MaxDuration.Hours())
	case value%time.Millisecond != 0:
		b.report("E401", text.Range, hint, "%s: %s is not a whole number of milliseconds", attr.Schema.Name, quoted(attr, text))
	default:
		return value, true
	}
	return 0, false
}

// Size reads a number of bytes as a manifest and the command line write it:
// "500MB", "2GiB", "1048576". The error says what is wrong.
func Size(text string) (int64, error) {
	bytes, fault := parseSize(text)
	if fault != "" {
		return 0, fmt.Errorf("%q %s", text, fault)
	}
	return bytes, nil
}

func parseSize(text string) (size int64, fault string) {
	bytes, err := humanize.ParseBytes(text)
	switch {
	case err != nil:
		return 0, "is not a size"
	case bytes == 0:
		return 0, "is nothing"
	case bytes > 1<<62:
		return 0, "is too much"
	}
	return int64(bytes), ""
}

func (b *builder) size(attr *hclfile.Attr) (value int64, ok bool) {
	text, _ := attr.Value.(hclfile.Text)
	if attr.Schema.Off && text.Value == "none" {
		return 0, true
	}
	value, fault := parseSize(text.Value)
	if fault != "" {
		b.report("E413", text.Range, `Write it as "500MB" or "2GiB", or "none" for no limit.`, "%s: %s %s", attr.Schema.Name, quoted(attr, text), fault)
	}
	return value, fault == ""
}

func (b *builder) regexes(attr *hclfile.Attr, name string) ([]Item, bool) {
	list, _ := attr.Value.([]hclfile.Text)
	if len(list) > match.MaxRules {
		b.report("E402", attr.Range, "Join some with |.", "stop_on has %d rules, of which there may be %d", len(list), match.MaxRules)
		return nil, false
	}
	items := make([]Item, 0, len(list))
	for _, text := range list {
		err := b.compile(text.Value)
		var rule *match.RuleError
		switch {
		case err != nil && attr.Varies:
			b.report("E402", text.Range, "Write regexescape(var.name) where its value is meant literally.", "this stop rule is no regular expression with the value that a variable has")
		case errors.As(err, &rule):
			b.report("E402", text.Range, "", "the stop rule %q: %s", rule.Expr, rule.Reason)
		case err != nil:
			b.report("E402", text.Range, "", "%v", err)
		default:
			items = append(items, Item{text.Value, Origin{name, text.Range}})
		}
	}
	return items, len(items) == len(list)
}

// compile compiles a stop rule, each text once: many plans share them.
func (b *builder) compile(expr string) error {
	err, known := b.compiled[expr]
	if !known {
		_, err = match.Compile([]string{expr})
		b.compiled[expr] = err
	}
	return err
}

// variableName is a name of an environment variable that every shell takes.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// namePattern is such a name with * and ?.
var namePattern = regexp.MustCompile(`^[A-Za-z_*?][A-Za-z0-9_*?]*$`)

// reserved is what names of variables begin with that the handler sets itself.
const reserved = "AI_SESSION_HANDLER"

func (b *builder) names(attr *hclfile.Attr, name string) ([]Item, bool) {
	list, _ := attr.Value.([]hclfile.Text)
	items := make([]Item, 0, len(list))
	valid, hint := variableName, `Write only its name, for example "OPENAI_API_KEY".`
	if attr.Schema.Globs {
		valid, hint = namePattern, `Write a name, or a pattern such as "LC_*".`
	}
	for _, text := range list {
		if !valid.MatchString(text.Value) {
			// It may be a value, which must not be shown.
			b.m.veiled[line{text.Range.File, text.Range.Start.Line}] = true
			b.report("E412", text.Range, hint, "%s holds something that is not the name of an environment variable", attr.Schema.Name)
			continue
		}
		items = append(items, Item{text.Value, Origin{name, text.Range}})
	}
	return items, len(items) == len(list)
}

func (b *builder) environ(attr *hclfile.Attr, name string) (map[string]Item, bool) {
	entries, _ := attr.Value.([]hclfile.Entry)
	items := make(map[string]Item, len(entries))
	for _, e := range entries {
		switch {
		case !variableName.MatchString(e.Key.Value):
			b.report("E412", e.Key.Range, "Use letters, digits and _.", "env: %s is not the name of an environment variable", quoted(attr, e.Key))
		case e.Key.Value == "PWD" || strings.HasPrefix(e.Key.Value, reserved):
			b.report("E412", e.Key.Range, "Choose another name.", "env: %s is set by the handler itself", quoted(attr, e.Key))
		case strings.ContainsRune(e.Value.Value, 0):
			b.report("E412", e.Value.Range, "Remove it.", "env: a value has a NUL in it, which no environment can hold")
		default:
			items[e.Key.Value] = Item{e.Value.Value, Origin{name, e.Value.Range}}
		}
	}
	return items, len(items) == len(entries)
}

func (b *builder) retry(block *hclfile.Block) (retry Retry, ok bool) {
	var okOn, okDelay bool
	retry.On, okOn = b.retryOn(block)
	if delay, is := block.Attr("delay"); is {
		retry.Delay, okDelay = b.duration(delay)
	} else {
		okDelay = !block.Has("delay")
	}
	attempts, ok := block.Attr("max_attempts")
	if ok {
		count, _ := attempts.Value.(int64)
		retry.MaxAttempts = int(count)
	}
	return retry, ok && okOn && okDelay
}

// retryOn is the ends that are repeated, sorted: their order means nothing.
func (b *builder) retryOn(block *hclfile.Block) (on []record.Status, ok bool) {
	attr, ok := block.Attr("on")
	if !ok {
		return nil, false
	}
	list, _ := attr.Value.([]hclfile.Text)
	for _, text := range list {
		on = append(on, record.Status(text.Value))
	}
	if len(list) == 0 {
		b.report("E408", attr.Range, "Name at least one end of an attempt, or remove the block.", "retry.on is empty")
	}
	slices.Sort(on)
	return on, len(list) > 0
}
