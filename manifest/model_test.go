package manifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
)

// modelBlock is a block of a made-up manifest, before it is decided how it is
// written.
type modelBlock struct {
	kind, name string
	attrs      []modelAttr
	blocks     []modelBlock
}

// modelAttr has the ways to write one value, those of the JSON form apart.
type modelAttr struct {
	name         string
	native, json []string
}

func strung(values ...string) (a modelAttr) {
	for _, v := range values {
		a.native, a.json = append(a.native, fmt.Sprintf("%q", v)), append(a.json, fmt.Sprintf("%q", v))
	}
	return a
}

func plain(native ...string) modelAttr { return modelAttr{native: native, json: native} }

func reference(to string) modelAttr {
	return modelAttr{native: []string{to}, json: []string{fmt.Sprintf("%q", to)}}
}

// modelSettings are values of settings, each with ways to write it.
var modelSettings = map[string][]modelAttr{
	"timeout":      {strung("30m", "1800s", "0.5h"), strung("none"), strung("1ms")},
	"idle_timeout": {strung("90s", "1m30s"), strung("none")},
	"grace":        {strung("2s", "2000ms")},
	"output_max":   {strung("1KiB", "1024", "1024 B"), strung("none")},
	"stop_on":      {plain(`["FATAL"]`, `[ "FATAL" ]`), plain(`["quota", "a|b"]`), plain(`[]`)},
	"pass_env":     {plain(`["PATH", "LC_*"]`), plain(`[]`)},
	"unset_env":    {plain(`["X?"]`)},
	"secret_env":   {plain(`["KEY"]`), plain(`["OTHER", "KEY"]`)},
	"pids_max":     {plain("20", "2e1", "20.0")},
	"cpu_max":      {plain("1.5", "15e-1")},
	"limits":       {strung("strict"), strung("best-effort")},
	"env": {
		{native: []string{`{ A = "1", B = "" }`, `{ "B" = "", A : "1" }`}, json: []string{`{"A": "1", "B": ""}`, `{"B": "", "A": "1"}`}},
		{native: []string{`{}`}, json: []string{`{}`}},
	},
}

func drawSettings(t *rapid.T) (attrs []modelAttr) {
	names := sortedKeys(modelSettings)
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID).Draw(t, "settings") {
		attr := rapid.SampledFrom(modelSettings[name]).Draw(t, name)
		attr.name = name
		attrs = append(attrs, attr)
	}
	return attrs
}

func named(name string, a modelAttr) modelAttr {
	a.name = name
	return a
}

func drawRetry(t *rapid.T) []modelBlock {
	if !rapid.Bool().Draw(t, "retry") {
		return nil
	}
	return []modelBlock{{kind: "retry", attrs: []modelAttr{
		named("on", plain(`["timeout", "agent-failed"]`, `["agent-failed", "timeout"]`)),
		named("max_attempts", plain("3")),
	}}}
}

// drawModel makes a manifest without errors.
func drawModel(t *rapid.T) []modelBlock {
	model := []modelBlock{{kind: "manifest", attrs: []modelAttr{named("version", plain("1"))}}}
	agents := rapid.IntRange(1, 4).Draw(t, "agents")
	for i := range agents {
		a := modelBlock{kind: "agent", name: fmt.Sprintf("a%d", i), attrs: drawSettings(t)}
		if i > 0 && rapid.Bool().Draw(t, "extends") {
			a.attrs = append(a.attrs, named("extends", reference(fmt.Sprintf("agent.a%d", rapid.IntRange(0, i-1).Draw(t, "parent")))))
		} else {
			a.attrs = append(a.attrs, named("command", modelAttr{native: []string{`["my-agent", "{prompt_file}"]`, `"my-agent {prompt_file}"`}, json: []string{`["my-agent", "{prompt_file}"]`}}))
		}
		model = append(model, a)
	}
	agent := func() modelAttr {
		return named("agent", reference(fmt.Sprintf("agent.a%d", rapid.IntRange(0, agents-1).Draw(t, "agent"))))
	}
	model = append(model, modelBlock{kind: "defaults", attrs: append(drawSettings(t), agent()), blocks: drawRetry(t)})
	for i := range rapid.IntRange(1, 3).Draw(t, "plans") {
		p := modelBlock{kind: "plan", name: fmt.Sprintf("p%d", i), attrs: drawSettings(t), blocks: drawRetry(t)}
		p.attrs = append(p.attrs, named("source", strung(fmt.Sprintf("p%d.md", i), fmt.Sprintf("./p%d.md", i))))
		for n := range rapid.IntRange(0, 3).Draw(t, "phases") {
			phase := modelBlock{kind: "phase", name: fmt.Sprint(n + 1), attrs: drawSettings(t), blocks: drawRetry(t)}
			if rapid.Bool().Draw(t, "own agent") {
				phase.attrs = append(phase.attrs, agent())
			}
			p.blocks = append(p.blocks, phase)
		}
		model = append(model, p)
	}
	return model
}

// style decides how a model is written.
type style struct{ t *rapid.T }

func (s style) one(of ...string) string { return rapid.SampledFrom(of).Draw(s.t, "style") }

func shuffled[T any](s style, list []T) []T {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	var all []T
	for _, i := range rapid.Permutation(order).Draw(s.t, "order") {
		all = append(all, list[i])
	}
	return all
}

func (s style) native(b modelBlock) string {
	space := func() string { return s.one("", " ", "\t  ") }
	end := func() string { return s.one("\n", " # why\n", "\n\n\n", " // }\n", "\r\n", " /* { */\n") }
	var out strings.Builder
	out.WriteString(space() + b.kind + " ")
	if b.name != "" {
		fmt.Fprintf(&out, "%q%s", b.name, space())
	}
	out.WriteString("{" + end())
	for _, a := range shuffled(s, b.attrs) {
		out.WriteString(space() + a.name + space() + "=" + space() + s.one(a.native...) + end())
	}
	for _, child := range shuffled(s, b.blocks) {
		out.WriteString(s.native(child))
	}
	return out.String() + space() + "}" + end()
}

// nativeFiles spreads blocks over files.
func (s style) nativeFiles(model []modelBlock) map[string]string {
	files := map[string]string{FileName: ""}
	for _, b := range shuffled(s, model) {
		files[s.one(FileName, "a.handler.hcl", "z.handler.hcl")] += s.native(b)
	}
	return files
}

func (s style) object(attrs []modelAttr, blocks []modelBlock) string {
	var members []string
	for _, a := range attrs {
		members = append(members, fmt.Sprintf("%q: %s", a.name, s.one(a.json...)))
	}
	byKind := map[string][]string{}
	for _, b := range shuffled(s, blocks) {
		member := s.object(b.attrs, b.blocks)
		if b.name != "" {
			member = fmt.Sprintf("%q: %s", b.name, member)
		}
		byKind[b.kind] = append(byKind[b.kind], member)
	}
	for _, kind := range sortedKeys(byKind) {
		value := strings.Join(byKind[kind], ", ")
		if slices.ContainsFunc(blocks, func(b modelBlock) bool { return b.kind == kind && b.name != "" }) {
			value = "{" + value + "}"
		}
		members = append(members, fmt.Sprintf("%q: %s", kind, value))
	}
	return "{" + strings.Join(shuffled(s, members), ","+s.one("", " ", "\n")) + "}"
}

// TestHowAManifestIsWrittenDoesNotMatter writes one manifest in several ways, in
// the JSON form too, and formats them: it always means the same.
func TestHowAManifestIsWrittenDoesNotMatter(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		model, s := drawModel(t), style{t}
		want := bindingsOf(t, loaded(t, root, s.nativeFiles(model)))
		files := s.nativeFiles(model)
		formatted := map[string]string{}
		for name, text := range files {
			formatted[name] = string(hclfile.Format([]byte(text)))
		}
		for form, files := range map[string]map[string]string{
			"native": files, "formatted": formatted, "JSON": {JSONName: s.object(nil, model)},
		} {
			if diff := cmp.Diff(want, bindingsOf(t, loaded(t, root, files))); diff != "" {
				t.Fatalf("%s: %s\n%v", form, diff, files)
			}
		}
	})
}
