package hclfile_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// fault is a manifest with one problem. The place of the problem stands between
// « and »; where nothing does, it is that of the whole file.
type fault struct {
	name, code, text string
	says             string // part of the summary or the hint
	in               hclfile.Inputs
	file             string // where the problem is, if not in the manifest
}

const agent = head + "agent \"codex\" {\n  command = [\"my-agent\"]\n"

var faults = []fault{
	{"unclosed", "E101", head + "agent \"codex\" «{»\n", "", none, ""},
	{"bare duration", "E101", head + "defaults {\n  timeout = 45«m»\n}\n", "", none, ""},
	{"single quotes", "E101", agent + "  stop_on = [«'»x']\n}\n", "Single quotes are not valid", none, ""},
	{"argument twice", "E101", head + "defaults {\n  timeout = \"1m\"\n  «timeout» = \"2m\"\n}\n", "", none, ""},
	{"no manifest", "E150", "agent \"codex\" {\n  comand = 1\n}\n", "version = 1", none, ""},
	{"no version", "E150", "«manifest» {\n}\nfoo {\n}\n", "version = 1", none, ""},
	{"version two", "E150", "manifest {\n  version = «2»\n}\nfoo {\n}\n", "", none, ""},
	{"version text", "E150", "manifest {\n  version = «\"1\"»\n}\n", "", none, ""},
	{"version of a local", "E150", "manifest {\n  version = «local.v»\n}\nlocals {\n  v = 1\n}\n", "", none, ""},
	{"version null", "E150", "manifest {\n  version = «null»\n}\n", "", none, ""},
	{"program too old", "E151", "manifest {\n  version          = 1\n  required_version = «\">= 2\"»\n}\nfoo {\n}\n", "this is 1.2.0", hclfile.Inputs{Program: "1.2.0"}, ""},
	{"requirement", "E151", "manifest {\n  version          = 1\n  required_version = «\"new\"»\n}\n", "", none, ""},
	{"unknown block", "E201", head + "«agnt» \"x\" {\n}\n", "agent", none, ""},
	{"argument as a block", "E201", head + "defaults {\n  «timeout» {\n  }\n}\n", "Write timeout = ", none, ""},
	{"missing source", "E202", head + "«plan \"x\"» {\n}\n", "source", none, ""},
	{"unknown argument", "E203", agent + "  «comand» = 1\n}\n", "command", none, ""},
	{"argument of an agent", "E203", head + "plan \"p\" {\n  source  = \"p.md\"\n  «command» = [\"a\"]\n}\n", "It belongs in an agent.", none, ""},
	{"argument of a phase", "E203", head + "plan \"p\" {\n  source      = \"p.md\"\n  «pause_after» = true\n}\n", "It belongs in a phase.", none, ""},
	{"argument of several", "E203", head + "variable \"v\" {\n  default = \"\"\n  «timeout» = \"1h\"\n}\n", "It belongs in defaults, in an agent, in a plan or in a phase.", none, ""},
	{"block of a plan", "E201", head + "«phase» \"1\" {\n}\n", "It belongs in a plan.", none, ""},
	{"block of the top", "E201", head + "plan \"p\" {\n  source = \"p.md\"\n  «variable» \"v\" {\n  }\n}\n", "It belongs at the top level.", none, ""},
	{"misspelled source", "E203", head + "plan \"p\" {\n  «sorce» = \"p.md\"\n}\n", "Did you mean source?", none, ""},
	{"misspelled attempts", "E203", head + "defaults {\n  retry {\n    on          = [\"timeout\"]\n    «max_atempts» = 2\n  }\n}\n", "Did you mean max_attempts?", none, ""},
	{"block as an argument", "E203", head + "defaults {\n  «retry» = 3\n}\n", "retry {", none, ""},
	{"argument at the top", "E203", head + "«timeout» = \"1m\"\n", "", none, ""},
	{"sensitive", "E203", head + "variable \"v\" {\n  default   = \"\"\n  «sensitive» = true\n}\ndefaults {\n  env = { A = var.v }\n}\n", "secret_env", none, ""},
	{"no label", "E204", head + "«agent» {\n}\n", "with the name.", none, ""},
	{"phase without label", "E204", head + "plan \"p\" {\n  source = \"p.md\"\n  «phase» {\n  }\n}\n", "with the number of the phase, in quotes.", none, ""},
	{"two labels", "E204", head + "agent \"a\" «\"b\"» {\n}\n", "", none, ""},
	{"label of defaults", "E204", head + "defaults «\"a\"» {\n}\n", "", none, ""},
	{"bad label", "E205", head + "agent «\"Co dex\"» {\n}\n", "", none, ""},
	{"phase by name", "E205", head + "plan \"p\" {\n  source = \"p.md\"\n  phase «\"three\"» {\n  }\n}\n", "", none, ""},
	{"phase 03", "E205", head + "plan \"p\" {\n  source = \"p.md\"\n  phase «\"03\"» {\n  }\n}\n", "", none, ""},
	{"bad local", "E205", head + "locals {\n  «Bad» = 1\n}\ndefaults {\n  env = { A = local.Bad }\n}\n", "", none, ""},
	{"string for bool", "E206", agent + "  abstract = «\"yes\"»\n}\n", "true or false", none, ""},
	{"number for string", "E206", agent + "  description = «5»\n}\n", "a number", none, ""},
	{"string for list", "E206", agent + "  stop_on = «\"FATAL\"»\n}\n", "a list of strings", none, ""},
	{"element", "E206", agent + "  stop_on = [\"a\", «5», \"b\"]\n}\n", "a number", none, ""},
	{"element of a local", "E206", head + "locals {\n  l = [\"a\", 5]\n}\ndefaults {\n  stop_on = «local.l»\n}\n", "a number", none, ""},
	{"list for map", "E206", agent + "  env = «[\"A=b\"]»\n}\n", "a map", none, ""},
	{"number in map", "E206", agent + "  env = { A = \"b\", PORT = «80» }\n}\n", "a number Write it in quotes", none, ""},
	{"map for command", "E206", head + "agent \"a\" {\n  command = «{}»\n}\n", "a map", none, ""},
	{"quoted type", "E206", head + "variable \"v\" {\n  type    = «\"string\"»\n  default = \"\"\n}\ndefaults {\n  env = { A = var.v }\n}\n", "without quotes", none, ""},
	{"unknown type", "E206", head + "variable \"v\" {\n  type    = «list(number)»\n  default = []\n}\ndefaults {\n  stop_on = var.v\n}\n", "list(string)", none, ""},
	{"condition", "E206", head + "variable \"v\" {\n  default = \"\"\n  validation {\n    condition     = «\"yes\"»\n    error_message = \"no\"\n  }\n}\n", "this is a string", none, ""},
	{"on of retry", "E206", head + "defaults {\n  retry {\n    on           = «\"timeout\"»\n    max_attempts = 2\n  }\n}\n", "retry.on must be", none, ""},
	{"null", "E207", agent + "  timeout = «null»\n}\n", "", none, ""},
	{"null element", "E207", agent + "  stop_on = [«null»]\n}\n", "", none, ""},
	{"null reference", "E207", agent + "  extends = «null»\n}\n", "", none, ""},
	{"defaults twice", "E208", head + "defaults {\n}\n«defaults» {\n}\n", "", none, ""},
	{"reference by index", "E301", agent + "  extends = «agent[\"codex\"]»\n}\n", "agent.name", none, ""},
	{"reference alone", "E301", agent + "  extends = «agent»\n}\n", "", none, ""},
	{"reference of three", "E301", agent + "  extends = «agent.a.b»\n}\n", "", none, ""},
	{"reference computed", "E301", agent + "  extends = «true ? agent.a : agent.b»\n}\n", "", none, ""},
	{"references not in a list", "E301", head + "pipeline \"p\" {\n  stage \"a\" {\n    plan       = plan.a\n    depends_on = «stage.b»\n  }\n}\n", "", none, ""},
	{"quoted reference", "E302", agent + "  extends = «\"agent.base\"»\n}\n", "agent.base without quotes", none, ""},
	{"quoted name", "E302", agent + "  extends = «\"base\"»\n}\n", "agent.base without quotes", none, ""},
	{"wrong kind", "E303", agent + "  extends = «plan.base»\n}\n", "agent.name", none, ""},
	{"wrong kind in a list", "E303", head + "pipeline \"p\" {\n  stage \"a\" {\n    plan       = plan.a\n    depends_on = [stage.c, «plan.b»]\n  }\n}\n", "", none, ""},
	{"unknown local", "E304", head + "locals {\n  limit = \"a\"\n}\ndefaults {\n  stop_on = [«local.limt», local.limit]\n}\n", "local.limit", none, ""},
	{"unknown variable", "E304", head + "defaults {\n  stop_on = [«var.x»]\n}\n", "", none, ""},
	{"path.module", "E304", head + "defaults {\n  stop_on = [«path.module»]\n}\n", "path.root", none, ""},
	{"unknown function", "E305", head + "defaults {\n  stop_on = [«uper»(\"x\")]\n}\n", "upper", none, ""},
	{"file", "E305", head + "defaults {\n  stop_on = [«file»(\"x\")]\n}\n", "same on every machine", none, ""},
	{"function in a loop over nothing", "E305", head + "defaults {\n  stop_on = [for x in [] : «uper»(x)]\n}\n", "", none, ""},
	{"local twice", "E306", head + "locals {\n  a = \"x\"\n}\nlocals {\n  «a» = \"y\"\n}\ndefaults {\n  stop_on = [local.a]\n}\n", "", none, ""},
	{"variable twice", "E306", head + "variable \"a\" {\n  default = \"\"\n}\nvariable «\"a\"» {\n  default = \"\"\n}\ndefaults {\n  stop_on = [var.a]\n}\n", "", none, ""},
	{"cycle", "E307", head + "locals {\n  «a» = local.b\n  b = local.c\n  c = [local.a]\n}\ndefaults {\n  stop_on = [local.a]\n}\n", "local.a → local.b → local.c → local.a", none, ""},
	{"own cycle", "E307", head + "locals {\n  «a» = local.a\n}\ndefaults {\n  stop_on = [local.a]\n}\n", "local.a → local.a", none, ""},
	{"block as a value", "E311", head + "defaults {\n  stop_on = [«agent.x»]\n}\n", "not values", none, ""},
	{"variable of none", "E304", head + "defaults {\n  stop_on = [«var.x»]\n}\n", "variable \"x\" { … }", none, ""},
	{"local of none", "E304", head + "defaults {\n  stop_on = [«local.x»]\n}\n", "locals { x = … }", none, ""},
	{"key twice", "E306", agent + "  env = { A = \"1\", B = \"\", «\"A\"» = \"2\" }\n}\n", "Take one", none, ""},
	{"key in brackets twice", "E306", agent + "  env = merge({ (\"A\") = \"1\", «A» = \"2\" }, {})\n}\n", "Take one", none, ""},
	{"key of a variable twice", "E410", good, "can't be read", hclfile.Inputs{VarFiles: []hclfile.Source{{Name: "v.hcl", Bytes: []byte("effort = «{ SECRET = 1, SECRET = 2 }»\n")}}}, "v.hcl"},
	{"environment", "E311", head + "defaults {\n  stop_on = [\"${«env.HOME»}\"]\n}\n", "AI_SESSION_HANDLER_VAR", none, ""},
	{"all locals", "E311", head + "defaults {\n  stop_on = keys(«local»)\n}\n", "local.name", none, ""},
	{"default of another", "E311", head + "variable \"a\" {\n  default = «var.b»\n}\ndefaults {\n  stop_on = [var.a]\n}\n", "", none, ""},
	{"condition of another", "E311", head + "locals {\n  l = true\n}\nvariable \"a\" {\n  default = \"\"\n  validation {\n    condition     = var.a == \"\" && «local.l»\n    error_message = \"no\"\n  }\n}\ndefaults {\n  stop_on = [tostring(local.l)]\n}\n", "", none, ""},
	{"flag without declaration", "E312", strings.Replace(good, "»", "", 1), "effort", hclfile.Inputs{Vars: []string{"efort=low"}}, "--var"},
	{"flag without value", "E312", good, "name=value", hclfile.Inputs{Vars: []string{"effort"}}, "--var"},
	{"var file without declaration", "E312", good, "effort", hclfile.Inputs{VarFiles: []hclfile.Source{{Name: "v.hcl", Bytes: []byte("«efort» = \"low\"\n")}}}, "v.hcl"},
	{"number for a duration", "E401", agent + "  timeout = «45»\n}\n", "\"45m\"", none, ""},
	{"max_phases 0", "E403", head + "plan \"p\" {\n  source = \"p.md\"\n  max_phases = «0»\n}\n", "", none, ""},
	{"max_phases 1.5", "E403", head + "plan \"p\" {\n  source = \"p.md\"\n  max_phases = «1.5»\n}\n", "", none, ""},
	{"max_phases 1e400", "E403", head + "plan \"p\" {\n  source = \"p.md\"\n  max_phases = «1e400»\n}\n", "", none, ""},
	{"cpu_max 0", "E403", agent + "  cpu_max = «0»\n}\n", "0.01", none, ""},
	{"not accepted", "E407", good, "Use low or high.", hclfile.Inputs{Vars: []string{"effort=SECRET"}}, "--var"},
	{"default not accepted", "E407", strings.Replace(good, "\"high\"\n", "«\"hi\"»\n", 1), "Use low or high.", none, ""},
	{"choice in a heredoc", "E408", agent + "  limits = «\"strict\\n\"»\n}\n", "has a newline at the end Write the word in quotes, or use trimspace()", none, ""},
	{"choice in a heredoc of a CRLF file", "E408", agent + "  limits = «\"strict\\r\\n\"»\n}\n", "has a newline at the end", none, ""},
	{"choice with a space", "E408", agent + "  limits = «\" strict\"»\n}\n", "has white space around it", none, ""},
	{"choice", "E408", agent + "  limits = «\"loose\"»\n}\n", "strict or best-effort", none, ""},
	{"retry on", "E408", head + "defaults {\n  retry {\n    on           = [\"timeout\", «\"agent-faild\"»]\n    max_attempts = 2\n  }\n}\n", "agent-failed", none, ""},
	{"retry on twice", "E408", head + "defaults {\n  retry {\n    on           = [\"timeout\", «\"timeout\"»]\n    max_attempts = 2\n  }\n}\n", "twice", none, ""},
	{"no number", "E409", head + "defaults {\n  pids_max = tonumber(\"«four»\")\n}\n", "", none, ""},
	{"division by zero", "E409", agent + "  cpu_max = «1 / 0»\n}\n", "division by zero", none, ""},
	{"infinity", "E409", agent + "  cpu_max = 2 - («1 / 0»)\n}\n", "infinite", none, ""},
	{"missing key", "E409", head + "locals {\n  m = { a = \"x\" }\n}\ndefaults {\n  stop_on = [local.m«.b»]\n}\n", "", none, ""},
	{"no value", "E410", head + "«variable \"a\"» {\n}\ndefaults {\n  stop_on = [var.a]\n}\n", "--var a=value", none, ""},
	{"default of another type", "E410", head + "variable \"a\" {\n  type    = number\n  default = «\"SECRET\"»\n}\ndefaults {\n  pids_max = var.a\n}\n", "a", none, ""},
	{"environment of another type", "E410", head + "variable \"a\" {\n  type    = number\n  default = 1\n}\ndefaults {\n  pids_max = var.a\n}\n", "AI_SESSION_HANDLER_VAR_a", hclfile.Inputs{Environ: []string{"AI_SESSION_HANDLER_VAR_a=SECRET"}}, "AI_SESSION_HANDLER_VAR_a"},
	{"flag of another type", "E410", head + "variable \"a\" {\n  type    = list(string)\n  default = []\n}\ndefaults {\n  stop_on = var.a\n}\n", "--var", hclfile.Inputs{Vars: []string{`a=[1, {SECRET="SECRET"}]`}}, "--var"},
	{"var file with a bare word", "E410", good, "v.hcl", hclfile.Inputs{VarFiles: []hclfile.Source{{Name: "v.hcl", Bytes: []byte("effort = «SECRET»\n")}}}, "v.hcl"},
	{"flag that can't be read", "E410", head + "variable \"a\" {\n  type    = list(string)\n  default = []\n}\ndefaults {\n  stop_on = var.a\n}\n", "--var", hclfile.Inputs{Vars: []string{"a=[SECRET"}}, "--var"},
	{"value of a variable in an error", "E409", head + "variable \"a\" {\n  default = \"\"\n}\nlocals {\n  l = var.a\n}\ndefaults {\n  pids_max = tonumber(«local.l»)\n}\n", "", hclfile.Inputs{Vars: []string{"a=SECRET"}}, ""},
	{"value of a variable in a choice", "E408", head + "variable \"a\" {\n  default = \"\"\n}\ndefaults {\n  limits = «var.a»\n}\n", "this is none", hclfile.Inputs{Vars: []string{"a=SECRET"}}, ""},
	{"large variable", "E006", good, "64 KiB", hclfile.Inputs{Vars: []string{"effort=" + strings.Repeat("x", 70_000)}}, "--var"},
	{"unused variable", "W602", head + "variable «\"a\"» {\n  default = \"\"\n}\n", "", none, ""},
	{"variable used by its validation", "W602", head + "variable «\"a\"» {\n  default = \"\"\n  validation {\n    condition     = var.a == \"\"\n    error_message = \"no\"\n  }\n}\n", "", none, ""},
	{"unused local", "W603", head + "locals {\n  «a» = 1\n}\n", "", none, ""},
}

var none = hclfile.Inputs{}

const good = head + "variable \"effort\" {\n  default = \"high\"\n  validation {\n    condition     = contains([\"low\", \"high\"], var.effort)\n" +
	"    error_message = \"Use low or high.\"\n  }\n}\ndefaults {\n  env = { A = var.effort }\n}\n"

// unmark returns a text without the marks, and what is between them.
func unmark(t *testing.T, text string) (string, int, int) {
	before, rest, marked := strings.Cut(text, "«")
	inside, after, closed := strings.Cut(rest, "»")
	if !marked {
		return text, -1, -1
	}
	if !closed {
		t.Fatal("a mark has no end")
	}
	return before + inside + after, len(before), len(before) + len(inside)
}

func TestProblems(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			file := f.file
			if file == "" {
				file = "m.hcl"
			}
			text, from, to := unmark(t, f.text)
			for i, v := range f.in.VarFiles {
				var unmarked string
				unmarked, from, to = unmark(t, string(v.Bytes))
				f.in.VarFiles[i].Bytes = []byte(unmarked)
				checkOne(t, f, file, unmarked, from, to, load(text, f.in))
				return
			}
			checkOne(t, f, file, text, from, to, load(text, f.in))
		})
	}
}

func load(text string, in hclfile.Inputs) problem.List {
	_, problems := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(text)}}, in)
	return problems
}

func checkOne(t *testing.T, f fault, file, text string, from, to int, problems problem.List) {
	t.Helper()
	if len(problems) != 1 {
		t.Fatalf("%d problems instead of one: %+v", len(problems), problems)
	}
	p := problems[0]
	if p.Code != f.code || !strings.Contains(p.Summary+" "+p.Hint, f.says) {
		t.Errorf("got %s %q %q, want %s with %q", p.Code, p.Summary, p.Hint, f.code, f.says)
	}
	if strings.Contains(p.Summary+p.Hint, "SECRET") {
		t.Errorf("%q %q shows a value", p.Summary, p.Hint)
	}
	want := problem.Range{File: file}
	if from >= 0 {
		want.Start, want.End = place(text, from), place(text, to)
	}
	if p.Range != want {
		t.Errorf("at %+v, want %+v", p.Range, want)
	}
}

// place is the position of a byte in a text of ASCII.
func place(text string, at int) problem.Pos {
	before := text[:at]
	return problem.Pos{Line: strings.Count(before, "\n") + 1, Column: at - strings.LastIndex(before, "\n"), Byte: at}
}

// TestJSONProblems has the same for the JSON form, whose columns are those of one
// line.
func TestJSONProblems(t *testing.T) {
	const start = `{"manifest": {"version": 1}, `
	for _, f := range []fault{
		{"unclosed", "E101", start + `"agent": {«»`, "", none, ""},
		{"unknown block", "E203", start + `«"agnt"»: {"x": {}}}`, "agent", none, ""},
		{"missing source", "E202", start + `"plan": {«"p"»: {}}}`, "source", none, ""},
		{"unknown argument", "E203", start + `"defaults": {«"timeot"»: "1m"}}`, "timeout", none, ""},
		{"label", "E206", start + `"agent": «5»}`, "", none, ""},
		{"bad label", "E205", start + `"agent": {«"A b"»: {}}}`, "", none, ""},
		{"type", "E206", start + `"defaults": {"stop_on": «"x"»}}`, "a list", none, ""},
		{"element", "E206", start + `"defaults": {"stop_on": ["a", «5»]}}`, "a number", none, ""},
		{"null", "E207", start + `"defaults": {"timeout": «null»}}`, "", none, ""},
		{"reference", "E301", start + `"defaults": {"agent": «"codex"»}}`, "agent", none, ""},
		{"computed reference", "E301", start + `"defaults": {"agent": «"${agent.codex}"»}}`, "agent", none, ""},
		{"kind", "E303", start + `"defaults": {"agent": «"plan.codex"»}}`, "", none, ""},
		{"name", "E304", start + `"defaults": {"stop_on": [«"a\tb${local.x}"»]}}`, "", none, ""},
		{"template", "E101", start + `"defaults": {"stop_on": [«"${"»]}}`, "", none, ""},
		{"duration", "E401", start + `"defaults": {"timeout": «45»}}`, "", none, ""},
		{"twice", "E208", start + `"defaults": [{}, {}]}`, "", none, ""},
		{"unknown among repeated ones", "E203", start + `"plan": {"p": {"source": "a"}}, "plan": {"q": {"source": "b", «"x"»: 1}}}`, "no argument x", none, ""},
		{"misspelled block", "E203", start + `«"varable"»: {"x": {}}, "defaults": {"stop_on": ["${var.x}"]}}`, "Did you mean variable?", none, ""},
		{"defaults", "E203", start + `«"default"»: {"timeout": "1h"}}`, "Did you mean defaults?", none, ""},
		{"key twice", "E306", start + `"defaults": {"env": {"A": "1", «"A"»: "2"}}}`, "", none, ""},
		{"entry", "E206", start + `"defaults": {"env": {"A": «1»}}}`, "", none, ""},
		{"local", "E207", start + `"locals": {"a": «null»}, "defaults": {"env": {"A": "${local.a}"}}}`, "", none, ""},
	} {
		t.Run(f.name, func(t *testing.T) {
			text, from, to := unmark(t, f.text)
			_, problems := hclfile.Load([]hclfile.Source{{Name: "m.json", Bytes: []byte(text), JSON: true}}, f.in)
			if f.code == "E208" && len(problems) == 1 {
				problems[0].Range = problem.Range{File: "m.json"} // two of one list are in one place
			}
			checkOne(t, f, "m.json", text, from, to, problems)
		})
	}
}

func TestGuards(t *testing.T) {
	for _, f := range []fault{
		{"NUL", "E002", "# a\n# «\x00»\n", "", none, ""},
		{"not UTF-8", "E003", "# ä «\xff»\n", "", none, ""},
		{"too deep", "E004", "a = " + strings.Repeat("[", 64) + "«[»" + strings.Repeat("]", 65) + "\n", "", none, ""},
		{"too many !", "E005", "a = !!!!!!!«!»true\n", "", none, ""},
		{"too many ?", "E005", "b = 1\n«a» = " + strings.Repeat("b ? c : ", 64) + "d\n", "", none, ""},
		{"too long", "E005", "b = 1\n«a» = [" + strings.Repeat("1,", 2500) + "]\n", "", none, ""},
	} {
		t.Run(f.name, func(t *testing.T) {
			text, from, to := unmark(t, f.text)
			problems := hclfile.Check(hclfile.Source{Name: "m.hcl", Bytes: []byte(text)})
			if f.code == "E003" && len(problems) == 1 {
				problems[0].Range.Start.Column++ // ä is one character of two bytes
				problems[0].Range.End.Column++
			}
			checkOne(t, f, "m.hcl", text, from, to, problems)
		})
	}
	for _, good := range []string{
		"a = " + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "\n",
		"a = !!!!!!!true\n",
		"a = " + strings.Repeat("b ? c : ", 63) + "d\n",
		"a = [" + strings.Repeat("1,", 2400) + "]\nb = [" + strings.Repeat("1,", 2400) + "]\n",
		"\xef\xbb\xbfa = 1\n",
		strings.Repeat("a {\n  b = 1\n}\n", 5000),
	} {
		if problems := hclfile.Check(hclfile.Source{Name: "m.hcl", Bytes: []byte(good)}); len(problems) > 0 {
			t.Errorf("%.40q: %+v", good, problems[0])
		}
	}
}

func TestTooManyFiles(t *testing.T) {
	files := make([]hclfile.Source, 258)
	for i := range files {
		files[i] = hclfile.Source{Name: "m.hcl"}
	}
	if _, problems := hclfile.Load(files, none); len(problems) != 1 || problems[0].Code != "E007" {
		t.Errorf("got %+v", problems)
	}
	large := bytes.Repeat([]byte("# x\n"), 250_000)
	for i := range files {
		files[i].Bytes = large
	}
	if _, problems := hclfile.Load(files[:10], none); len(problems) != 1 || problems[0].Code != "E001" {
		t.Errorf("got %+v", problems)
	}
}

// A file that can't be read hides names, so that nothing is said about them.
func TestNothingFollowsFromABrokenFile(t *testing.T) {
	files := []hclfile.Source{
		{Name: "a.hcl", Bytes: []byte(head + "variable \"unused\" {\n  default = \"\"\n}\ndefaults {\n  stop_on = [local.x, var.y]\n}\n")},
		{Name: "b.hcl", Bytes: []byte("locals {\n")},
	}
	doc, problems := hclfile.Load(files, hclfile.Inputs{Vars: []string{"z=1"}})
	if len(problems) != 1 || problems[0].Code != "E101" {
		t.Errorf("got %+v", problems)
	}
	if !doc.Lost("agent") {
		t.Error("the broken file may have agents")
	}
}

// Long names take more time to compare than short ones.
func TestSuggestionsEndAfterSoManyLetters(t *testing.T) {
	long := strings.Repeat("x", 60)
	text := head + "locals {\n"
	for i := range 100 {
		text += fmt.Sprintf("  %s%03d = \"\"\n", long, i)
	}
	text += "}\ndefaults {\n  stop_on = ["
	for i := range 200 {
		text += fmt.Sprintf("local.%sy%03d,", long, i)
	}
	problems := load(text+"]\n}\n", none)
	if len(problems) != 200 || !strings.HasPrefix(problems[0].Hint, "Did you mean") || strings.HasPrefix(problems[199].Hint, "Did you mean") {
		t.Errorf("%d problems, the first %q and the last %q", len(problems), problems[0].Hint, problems[len(problems)-1].Hint)
	}
}

func TestSeveralProblemsAtOnce(t *testing.T) {
	text := head + "locals {\n  a = local.b\n  b = local.a\n  c = local.nothing\n}\nagent \"x\" {\n  comand = [local.a]\n  timeout = 45\n  stop_on = [local.c]\n}\nplan \"y\" {\n  limits = null\n}\n"
	var codes []string
	for _, p := range load(text, none) {
		codes = append(codes, p.Code)
	}
	if got := strings.Join(codes, " "); got != "E203 E202 E304 E307 E401 E207" {
		t.Errorf("got %s", got)
	}
}
