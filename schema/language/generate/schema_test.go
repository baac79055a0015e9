package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := jsonSchema()
	if err != nil {
		t.Fatal(err)
	}
	const id = "urn:ai-session-handler:manifest:1"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(id, parsed(t, string(data))); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// complete uses every block and every kind of attribute.
const complete = `{
  "//": "checked in beside the plans",
  "manifest": {"version": 1, "required_version": ">= 0.1"},
  "variable": {
    "effort": {
      "type": "string",
      "default": "high",
      "validation": {"condition": "${contains([\"low\", \"high\"], var.effort)}", "error_message": "Use low or high."}
    }
  },
  "locals": {"//": "shared", "limits": ["(?i)usage limit"], "count": 3, "on": true},
  "defaults": {"agent": "agent.codex", "max_phases": 4, "idle_timeout": "none"},
  "agent": {
    "base": {"//": "for all", "abstract": true, "pass_env": ["PATH", "LC_*"], "stop_on": "${local.limits}"},
    "codex": {
      "extends": "agent.base",
      "command": ["codex", "{prompt_file}"],
      "env": {"EFFORT": "${var.effort}"},
      "secret_env": ["KEY"],
      "timeout": "1h30m",
      "output_max": 1000000,
      "memory_max": "4GiB",
      "pids_max": 100,
      "cpu_max": 1.5,
      "limits": "best-effort"
    },
    "word": {"command": "codex exec"}
  },
  "plan": {
    "rollout": {
      "source": "docs/plans/rollout.md",
      "phase": {"3": {"agent": "agent.word", "pause_after": true, "timeout": "${local.on ? \"1h\" : \"2h\"}"}},
      "retry": [{"on": ["timeout"], "max_attempts": 3, "delay": "1m"}]
    },
    "web": [{"source": "web.md"}]
  },
  "pipeline": {
    "release": {
      "max_parallel": 2,
      "stage": [{"api": {"plan": "plan.rollout"}}, {"web": {"plan": "plan.web", "depends_on": ["stage.api"]}}]
    }
  }
}`

func TestSchemaAcceptsManifests(t *testing.T) {
	schema := compiled(t)
	for _, text := range []string{
		complete,
		`{"manifest": {"version": 1}}`,
		`{"manifest": [{"version": 1}], "locals": [{"a": 1}, {"b": 2}]}`,
	} {
		if err := schema.Validate(parsed(t, text)); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

func TestSchemaRefusesDamagedManifests(t *testing.T) {
	schema := compiled(t)
	for _, test := range []struct{ damage, from, to string }{
		{"unknown block", `"pipeline": {`, `"pipelines": {`},
		{"unknown argument", `"max_parallel"`, `"max_paralel"`},
		{"missing argument", `"source": "docs/plans/rollout.md",`, ``},
		{"missing label", `"agent": {
    "base": {"//": "for all", "abstract": true,`, `"agent": {"abstract": true, "base": {`},
		{"bad label", `"rollout": {`, `"Rollout": {`},
		{"bad phase", `"3": {`, `"03": {`},
		{"null", `"default": "high"`, `"default": null`},
		{"null among locals", `"count": 3`, `"count": null`},
		{"bad name of a local", `"count": 3`, `"Count": 3`},
		{"bad version", `"version": 1`, `"version": "1"`},
		{"number for a duration", `"timeout": "1h30m"`, `"timeout": 90`},
		{"duration without a unit", `"timeout": "1h30m"`, `"timeout": "90"`},
		{"limit that can't be switched off", `"timeout": "1h30m"`, `"grace": "none"`},
		{"bool in quotes", `"pause_after": true`, `"pause_after": "yes"`},
		{"number out of range", `"max_parallel": 2`, `"max_parallel": 65`},
		{"fraction", `"max_phases": 4`, `"max_phases": 4.5`},
		{"processors", `"cpu_max": 1.5`, `"cpu_max": 0`},
		{"size", `"memory_max": "4GiB"`, `"memory_max": "much"`},
		{"word", `"best-effort"`, `"best"`},
		{"words", `["timeout"]`, `["blocked"]`},
		{"the same word twice", `["timeout"]`, `["timeout", "timeout"]`},
		{"reference to another kind", `"agent.base"`, `"plan.base"`},
		{"reference in a template", `"agent.base"`, `"${agent.base}"`},
		{"references", `["stage.api"]`, `"stage.api"`},
		{"empty command", `["codex", "{prompt_file}"]`, `[]`},
		{"empty regular expression", `"stop_on": "${local.limits}"`, `"stop_on": [""]`},
		{"name of a variable", `["KEY"]`, `["A=B"]`},
		{"value of a variable", `"${var.effort}"`, `7`},
		{"type", `"type": "string"`, `"type": "text"`},
		{"condition", `"${contains([\"low\", \"high\"], var.effort)}"`, `"true"`},
		{"argument of another block", `"//": "for all", `, `"max_phases": 1, `},
	} {
		damaged := strings.Replace(complete, test.from, test.to, 1)
		if damaged == complete {
			t.Fatalf("%s: no %s", test.damage, test.from)
		}
		if err := schema.Validate(parsed(t, damaged)); err == nil {
			t.Errorf("%s is accepted", test.damage)
		}
	}
}

func TestSchemaIsFitToCheckIn(t *testing.T) {
	data, err := jsonSchema()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "https://json-schema.org/draft/2020-12/schema", "", 1)
	for _, unwanted := range []string{"://", "../", `\u00`} {
		if strings.Contains(text, unwanted) {
			t.Errorf("it contains %q", unwanted)
		}
	}
	if !strings.HasSuffix(text, "\n}\n") {
		t.Error("it doesn't end with one newline")
	}
}
