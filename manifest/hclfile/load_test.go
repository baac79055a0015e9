package hclfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

const everything = `manifest {
  version          = 1
  required_version = ">= 0.1"
}
variable "effort" {
  type        = string
  default     = "high"
  description = "How hard"
}
variable "rules" {
  type    = list(string)
  default = ["a"]
}
locals {
  more = concat(var.rules, ["x-${var.effort}", regexescape("a.b")])
  name = join("-", [for s in split(",", "a,b") : upper(s)])
}
defaults {
  timeout = "1h"
  agent   = agent.codex
}
agent "base" {
  abstract = true
  stop_on  = local.more
  pass_env = ["HOME", "LC_*"]
  command  = "my-agent --fast"
}
agent "codex" {
  extends    = agent.base
  command    = ["codex", local.name, "${path.root}/x"]
  env        = { EFFORT = var.effort, "B" = <<-E
    two
    lines
  E
  }
  output_max = "500MB"
  cpu_max    = 1.5
  limits     = "strict"
}
plan "rollout" {
  source     = "docs/plans/a.md"
  max_phases = 2 + 2
  phase "3" {
    pause_after = true
  }
  retry {
    on           = ["agent-failed", "timeout"]
    max_attempts = 3
    delay        = "1m"
  }
}
pipeline "release" {
  stage "web" {
    plan       = plan.web
    depends_on = [stage.api, stage.docs]
  }
}
`

const everythingJSON = `{
  "//": "the same",
  "manifest": {"version": 1, "required_version": ">= 0.1"},
  "variable": {
    "effort": {"type": "string", "default": "high", "description": "How hard"},
    "rules": {"type": "list(string)", "default": ["a"]}
  },
  "locals": {
    "more": "${concat(var.rules, [\"x-${var.effort}\", regexescape(\"a.b\")])}",
    "name": "${join(\"-\", [for s in split(\",\", \"a,b\") : upper(s)])}"
  },
  "defaults": {"timeout": "1h", "agent": "agent.codex"},
  "agent": {
    "base": {"abstract": true, "stop_on": "${local.more}", "pass_env": ["HOME", "LC_*"], "command": "my-agent --fast"},
    "codex": {"extends": "agent.base", "command": ["codex", "${local.name}", "${path.root}/x"],
      "env": {"EFFORT": "${var.effort}", "B": "two\nlines\n"}, "output_max": "500MB", "cpu_max": 1.5, "limits": "strict"}
  },
  "plan": {"rollout": {"source": "docs/plans/a.md", "max_phases": "${2 + 2}",
    "phase": {"3": {"pause_after": true}},
    "retry": {"on": ["agent-failed", "timeout"], "max_attempts": 3, "delay": "1m"}}},
  "pipeline": {"release": {"stage": {"web": {"plan": "plan.web", "depends_on": ["stage.api", "stage.docs"]}}}}
}`

// plain is a value without its places.
func plain(v any) any {
	switch v := v.(type) {
	case hclfile.Text:
		return v.Value
	case []hclfile.Text:
		words := []any{}
		for _, t := range v {
			words = append(words, t.Value)
		}
		return words
	case []hclfile.Entry:
		entries := []any{}
		for _, e := range v {
			entries = append(entries, e.Key.Value+"="+e.Value.Value)
		}
		return entries
	case hclfile.Ref:
		return v.Type + "." + v.Name
	case []hclfile.Ref:
		refs := []any{}
		for _, r := range v {
			refs = append(refs, r.Type+"."+r.Name)
		}
		return refs
	case hclfile.Command:
		if v.Line != nil {
			return v.Line.Value
		}
		return plain(v.Words)
	}
	return v
}

// values are those of all attributes, by the path to them.
func values(doc *hclfile.Document) map[string]any {
	all := map[string]any{}
	var add func(string, []*hclfile.Block)
	add = func(path string, blocks []*hclfile.Block) {
		for _, b := range blocks {
			path := path + b.Schema.Name + " " + b.Label.Value + "/"
			for _, a := range b.Attrs() {
				all[path+a.Schema.Name] = plain(a.Value)
			}
			add(path, b.Blocks)
		}
	}
	add("", doc.Blocks)
	return all
}

var want = map[string]any{
	"manifest /version": int64(1), "manifest /required_version": ">= 0.1",
	"variable effort/type": nil, "variable effort/default": nil, "variable effort/description": "How hard",
	"variable rules/type": nil, "variable rules/default": nil,
	"locals /more": nil, "locals /name": nil,
	"defaults /timeout": "1h", "defaults /agent": "agent.codex",
	"agent base/abstract": true, "agent base/stop_on": []any{"b", "x-low", `a\.b`},
	"agent base/pass_env": []any{"HOME", "LC_*"}, "agent base/command": "my-agent --fast",
	"agent codex/extends": "agent.base", "agent codex/command": []any{"codex", "A-B", "/ws/x"},
	"agent codex/env": []any{"B=two\nlines\n", "EFFORT=low"}, "agent codex/output_max": "500MB",
	"agent codex/cpu_max": int64(1500), "agent codex/limits": "strict",
	"plan rollout/source": "docs/plans/a.md", "plan rollout/max_phases": int64(4),
	"plan rollout/phase 3/pause_after": true,
	"plan rollout/retry /on":           []any{"agent-failed", "timeout"},
	"plan rollout/retry /max_attempts": int64(3), "plan rollout/retry /delay": "1m",
	"pipeline release/stage web/plan": "plan.web", "pipeline release/stage web/depends_on": []any{"stage.api", "stage.docs"},
}

func TestLoad(t *testing.T) {
	in := hclfile.Inputs{Root: "/ws", Vars: []string{"effort=low"}, Environ: []string{`AI_SESSION_HANDLER_VAR_rules=["b"]`, "AI_SESSION_HANDLER_VAR_other=1"}}
	for _, s := range []hclfile.Source{
		{Name: "m.hcl", Bytes: []byte(everything)},
		{Name: "m.json", Bytes: []byte(everythingJSON), JSON: true},
		{Name: "bom.hcl", Bytes: []byte("\xef\xbb\xbf" + everything)},
		{Name: "bom.json", Bytes: []byte("\xef\xbb\xbf" + everythingJSON), JSON: true},
	} {
		doc, problems := hclfile.Load([]hclfile.Source{s}, in)
		if len(problems) > 0 {
			t.Errorf("%s: %+v", s.Name, problems)
		}
		if diff := cmp.Diff(want, values(doc)); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
		if vs := doc.Variables(); len(vs) != 2 || vs[0].From.Kind != hclfile.FromFlag || vs[0].Description != "How hard" ||
			vs[1].Type != "list(string)" || vs[1].From != (hclfile.Origin{Kind: hclfile.FromEnviron, Name: "AI_SESSION_HANDLER_VAR_rules"}) {
			t.Errorf("%s: %+v", s.Name, vs)
		}
	}
}

func TestPlacesOfElements(t *testing.T) {
	text := agent + "  stop_on = [\"a\", «\"b\"»]\n}\n"
	text, from, to := unmark(t, text)
	doc, _ := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(text)}}, none)
	stop, ok := doc.Blocks[1].Attr("stop_on")
	if !ok {
		t.Fatal("no stop_on")
	}
	want := problem.Range{File: "m.hcl", Start: place(text, from), End: place(text, to)}
	if got := stop.Value.([]hclfile.Text)[1].Range; got != want {
		t.Errorf("at %+v, want %+v", got, want)
	}
}

func TestAttributes(t *testing.T) {
	doc, _ := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(head + "variable \"v\" {\n  default = \"x\"\n}\nagent \"a\" {\n  timeout = 45\n  grace = \"1s\"\n  description = var.v\n  command = [\"a\"]\n}\n")}}, none)
	b := doc.Blocks[2]
	var names []string
	for _, a := range b.Attrs() {
		names = append(names, a.Schema.Name)
		if a.Varies != (a.Schema.Name == "description") {
			t.Errorf("%s varies: %v", a.Schema.Name, a.Varies)
		}
	}
	if diff := cmp.Diff([]string{"command", "description", "grace"}, names); diff != "" {
		t.Error(diff)
	}
	if _, ok := b.Attr("timeout"); ok || !b.Has("timeout") || b.Has("limits") {
		t.Error("timeout is written and not intact, limits is not written")
	}
	if b.Schema.Name != "agent" || b.Schema.Attrs[0].Kind != language.Bool {
		t.Error("the schema is not that of the table")
	}
}

// A later origin wins, and a later one of the same kind.
func TestPrecedence(t *testing.T) {
	text := head + "variable \"v\" {\n  default = \"default\"\n}\nagent \"a\" {\n  description = var.v\n}\n"
	file := func(value string) hclfile.Source {
		return hclfile.Source{Name: value, Bytes: []byte("v = \"" + value + "\"\n")}
	}
	environ := []string{"AI_SESSION_HANDLER_VAR_v=environ"}
	for want, in := range map[string]hclfile.Inputs{
		"default": {},
		"file":    {VarFiles: []hclfile.Source{file("other"), file("file")}},
		"json":    {VarFiles: []hclfile.Source{{Name: "v.json", JSON: true, Bytes: []byte(`{"v": "json"}`)}}},
		"environ": {VarFiles: []hclfile.Source{file("file")}, Environ: environ},
		"a=${b}":  {Environ: environ, Vars: []string{"v=other", "v=a=${b}"}},
	} {
		doc, problems := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(text)}}, in)
		if got := values(doc)["agent a/description"]; got != want || len(problems) > 0 {
			t.Errorf("got %q, want %q: %+v", got, want, problems)
		}
	}
}

func TestFlagsOfTypes(t *testing.T) {
	text := head + "variable \"n\" {\n  type = number\n}\nvariable \"b\" {\n  type = bool\n}\nvariable \"m\" {\n  type = map(string)\n}\n" +
		"agent \"a\" {\n  pids_max = var.n\n  abstract = var.b\n  env = var.m\n}\n"
	doc, problems := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(text)}}, hclfile.Inputs{Vars: []string{"n=50", "b=true", `m={A="x"}`}})
	got := values(doc)
	if len(problems) > 0 || got["agent a/pids_max"] != int64(50) || got["agent a/abstract"] != true || !cmp.Equal(got["agent a/env"], []any{"A=x"}) {
		t.Errorf("%v %+v", got, problems)
	}
}

func TestContains(t *testing.T) {
	for expression, want := range map[string]bool{
		`contains(["a", "b"], "b")`:        true,
		`contains(["a", "b"], "c")`:        false,
		`contains([], "c")`:                false,
		`contains([1, "2"], 2)`:            false,
		`contains([1, 2.0], 2)`:            true,
		`contains([["a"], "a"], ["a"])`:    true,
		`contains([{ a = 1 }], { a = 2 })`: false,
		`contains(tolist(["a"]), "a")`:     true,
		`contains(["a", null], null)`:      true,
	} {
		doc, problems := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(agent + "  abstract = " + expression + "\n}\n")}}, none)
		if got := values(doc)["agent codex/abstract"]; got != want || len(problems) > 0 {
			t.Errorf("%s is %v: %+v", expression, got, problems)
		}
	}
	if problems := load(agent+"  abstract = contains(\"ab\", \"a\")\n}\n", none); len(problems) != 1 || problems[0].Code != "E409" {
		t.Errorf("got %+v", problems)
	}
}

func TestProgramVersions(t *testing.T) {
	text := "manifest {\n  version = 1\n  required_version = \">= 0.2, < 1\"\n}\n"
	for program, good := range map[string]bool{"": true, "dev": true, "0.2.0": true, "v0.9.1": true, "0.2.0-rc1": true, "0.1.9": false, "1.0.0": false} {
		if problems := load(text, hclfile.Inputs{Program: program}); (len(problems) == 0) != good {
			t.Errorf("%s: %+v", program, problems)
		}
	}
}

// Keys may be computed; their places are those of the argument then.
func TestComputedKeys(t *testing.T) {
	text := head + "variable \"v\" {\n  default = \"x\"\n}\nagent \"a\" {\n  command = \"a\"\n  env = { (var.v) = \"1\", (upper(\"b\")) = \"2\", \"${var.v}y\" = \"3\", \"C\" = \"4\" }\n}\n"
	doc, problems := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(text)}}, none)
	if got := values(doc)["agent a/env"]; len(problems) > 0 || !cmp.Equal(got, []any{"B=2", "C=4", "x=1", "xy=3"}) {
		t.Errorf("%v %+v", got, problems)
	}
}

// Nothing is said to be unknown because its block could not be read.
func TestNothingFollowsFromALostBlock(t *testing.T) {
	for _, text := range []string{
		"variable {\n  default = \"\"\n}\nagent \"a\" {\n  command = [var.x]\n}\n",
		"local {\n  x = \"\"\n}\nagent \"a\" {\n  command = [local.x]\n}\n",
		"variable \"x\" {\n  default = null\n}\nlocals {\n  y = var.x\n}\nagent \"a\" {\n  command = [local.y]\n}\n",
		"variable \"x\" {\n  type = strin\n  default = \"a\"\n}\nagent \"a\" {\n  command = [var.x]\n}\n",
	} {
		if problems := load(head+text, none); len(problems) != 1 {
			t.Errorf("%s: %+v", text, problems)
		}
	}
}

// A size may be a number, as a reader of the reference would write it.
func TestSizesMayBeNumbers(t *testing.T) {
	doc, problems := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(head + "agent \"a\" {\n  output_max = 12000000\n}\n")}}, hclfile.Inputs{})
	if got := values(doc)["agent a/output_max"]; got != "12000000" || len(problems) > 0 {
		t.Errorf("%v %+v", got, problems)
	}
}
