package hclfile_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
)

const head = "manifest {\n  version = 1\n}\n"

// hostile are manifests that would take the program's stack, memory or time.
// Each is loaded in a process of its own, since a stack that overflows can't be
// survived.
var hostile = map[string]struct {
	code string // empty where the manifest is good
	json bool
	text func() string
	vars func() string // a value for the variable a, which is a list
	file func() string // a var file
}{
	"parentheses":       {code: "E004", text: func() string { return head + "a = " + nest("(", "1", ")", 90_000) }},
	"lists":             {code: "E004", text: func() string { return head + "a = " + nest("[", "", "]", 300_000) }},
	"objects":           {code: "E004", text: func() string { return head + "a = " + nest("{a=", "1", "}", 200_000) }},
	"blocks in blocks":  {code: "E004", text: func() string { return head + nest("a {\n", "", "}\n", 120_000) }},
	"templates":         {code: "E004", text: func() string { return head + "a = " + nest(`"${`, "1", `}"`, 50_000) }},
	"directives":        {code: "E004", text: func() string { return head + `a = "` + nest("%{if true}", "x", "%{endif}", 40_000) + `"` }},
	"heredoc templates": {code: "E004", text: func() string { return head + "a = <<E\n" + nest("${upper(", "1", ")}", 50_000) + "\nE\n" }},
	"open only":         {code: "E004", text: func() string { return head + "a = " + strings.Repeat("([{", 100_000) }},
	"bangs":             {code: "E005", text: func() string { return head + "a = " + strings.Repeat("!", 300_000) + "true" }},
	"minus on lines":    {code: "E005", text: func() string { return head + "a = (" + strings.Repeat("-\n", 100_000) + "1)" }},
	"questions":         {code: "E005", text: func() string { return head + "a = " + strings.Repeat("b ? c : ", 60_000) + "1" }},
	"additions":         {code: "E005", text: func() string { return head + "a = 1" + strings.Repeat("+1", 500_000) }},
	"splats":            {code: "E005", text: func() string { return head + "a = b" + strings.Repeat("[*]", 200_000) }},
	"indexes":           {code: "E005", text: func() string { return head + "a = b" + strings.Repeat("[0]", 200_000) }},
	"blocks":            {code: "E007", text: func() string { return head + strings.Repeat("a{}\n", 100_000) }},
	"NUL":               {code: "E002", text: func() string { return head + "a = \"\x00\"\n" }},
	"large":             {code: "E001", text: func() string { return head + strings.Repeat("# x\n", 500_000) }},
	"ISO 8859-1":        {code: "E003", text: func() string { return head + "# \xe4\n" }},
	"JSON lists":        {code: "E004", json: true, text: func() string { return `{"manifest":{"version":1},"locals":{"a":` + nest("[", "", "]", 300_000) + `}}` }},
	"JSON objects":      {code: "E004", json: true, text: func() string { return nest(`{"a":`, "1", "}", 150_000) }},
	"JSON template": {code: "E004", json: true, text: func() string {
		return `{"manifest":{"version":1},"locals":{"a":"` + nest("${(", "1", ")}", 90_000) + `"}}`
	}},
	"JSON key": {code: "E005", json: true, text: func() string {
		return `{"manifest":{"version":1},"locals":{"a":{"${` + strings.Repeat("!", 90_000) + `true}":1}}}`
	}},
	"doubling":      {code: "E006", text: doubling},
	"repeating":     {code: "E006", text: func() string { return bomb(`"` + strings.Repeat("${local.a}", 600) + `"`) }},
	"list of lists": {code: "E006", text: func() string { return bomb("[for x in local.l : [for y in local.l : [for z in local.l : x]]]") }},
	"loops": {code: "E006", text: func() string {
		return bomb("[for x in local.l : [for y in local.l : [for z in local.l : [for w in local.l : w if false] if false] if false]]")
	}},
	"on the way":        {code: "E006", text: func() string { return bomb(`contains(["x"], "${local.a}${local.a}")`) }},
	"join":              {code: "E006", text: func() string { return bomb("join(local.a, local.l)") }},
	"replace":           {code: "E006", text: func() string { return bomb(`replace(local.a, "x", local.a)`) }},
	"replace nothing":   {code: "E006", text: func() string { return bomb(`replace(local.a, "", local.a)`) }},
	"format width":      {code: "E006", text: func() string { return bomb(`format("%1000000000d", 1)`) }},
	"format precision":  {code: "E006", text: func() string { return bomb(`format("%.1000000000f", 1)`) }},
	"format verbs":      {code: "E006", text: func() string { return bomb(`format("` + strings.Repeat("%[1]s", 1500) + `", local.a)`) }},
	"format number":     {code: "E006", text: func() string { return bomb(`format("%d", "1e300000000")`) }},
	"number in text":    {code: "E006", text: func() string { return bomb(`"${1e300000000}"`) }},
	"number of text":    {code: "E006", text: func() string { return bomb(`"${"1e300000000" + 1}"`) }},
	"number by product": {code: "E006", text: func() string { return bomb(`"${1e150000*1e150000}"`) }},
	"modulo":            {code: "E006", text: func() string { return bomb(`"1e300000000" % 3`) }},
	"tonumber":          {code: "E006", text: func() string { return bomb(`tostring(tonumber("1e300000000"))`) }},
	"many types":        {code: "E409", text: func() string { return bomb(`tolist([` + objects(600) + `])`) }},
	"conditional types": {code: "E409", text: func() string { return bomb(`true ? [` + objects(350) + `] : {a = 1}`) }},
	"many faults":       {code: "E006", text: func() string { return bomb("[for x in local.l : [for y in local.l : y.z]]") }},
	"flag":              {code: "E410", text: listVariable, vars: func() string { return nest("(", "1", ")", 90_000) }},
	"large flag": {code: "E006", text: listVariable, vars: func() string {
		return "[" + strings.Repeat(`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",`, 1200) + "]"
	}},
	"var file":          {code: "E004", text: listVariable, file: func() string { return "a = " + nest("(", "1", ")", 90_000) }},
	"var file of bombs": {code: "E006", text: listVariable, file: func() string { return "a = [for x in split(\"\", \"" + strings.Repeat("x", 60_000) + "\") : x]" }},
	"contains":          {code: "E006", text: containing},
	"chain":             {text: chain},
	"fan":               {text: fan},
	"cycle":             {code: "E307", text: func() string { return strings.Replace(chain(), "a0 = \"x\"", "a0 = local.a9999", 1) }},
	"unknown names":     {code: "E304", text: func() string { return strings.Replace(fan(), "zero", "zeroo", 1) }},
}

func nest(open, middle, closing string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(closing, n)
}

func objects(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("{k%d = %d}", i, i))
	}
	return strings.Join(all, ", ")
}

func bomb(expression string) string {
	return head + "locals {\n  a = \"" + strings.Repeat("x", 50_000) + "\"\n  l = split(\"\", \"" + strings.Repeat("x", 900) +
		"\")\n  b = " + expression + "\n}\ndefaults {\n  env = { A = tostring(local.a), B = tostring(local.b), C = local.l[0] }\n}\n"
}

func listVariable() string {
	return head + "variable \"a\" {\n  type    = list(string)\n  default = []\n}\ndefaults {\n  stop_on = var.a\n}\n"
}

// containing looks for a long list in itself, again and again.
func containing() string {
	again := " = [" + strings.Repeat("contains(local.l, local.l), ", 400) + "]\n"
	return strings.Replace(bomb("1"), "  b = ", "  c"+again+"  d"+again+"  b = ", 1)
}

func doubling() string {
	text := head + "locals {\n  a0 = \"0123456789\"\n"
	for i := range 12 {
		text += fmt.Sprintf("  a%d = \"%s\"\n", i+1, strings.Repeat(fmt.Sprintf("${local.a%d}", i), 10))
	}
	return text + "}\n"
}

func chain() string {
	text := strings.Builder{}
	text.WriteString(head + "locals {\n  a0 = \"x\"\n")
	for i := range 9999 {
		fmt.Fprintf(&text, "  a%d = local.a%d\n", i+1, i)
	}
	return text.String() + "}\ndefaults {\n  env = { A = local.a9999 }\n}\n"
}

func fan() string {
	text := strings.Builder{}
	text.WriteString(head + "locals {\n  zero = \"x\"\n")
	for i := range 9999 {
		fmt.Fprintf(&text, "  a%d = \"${local.zero}y\"\n", i)
	}
	return text.String() + "}\n"
}

const hostileVariable = "HCLFILE_HOSTILE"

// TestHostileChild is run by TestHostile with a name from the table.
func TestHostileChild(t *testing.T) {
	name := os.Getenv(hostileVariable)
	if name == "" {
		t.Skip("run by TestHostile")
	}
	h := hostile[name]
	var in hclfile.Inputs
	if h.vars != nil {
		in.Vars = []string{"a=" + h.vars()}
		in.Environ = []string{"AI_SESSION_HANDLER_VAR_a=" + h.vars()}
	}
	if h.file != nil {
		in.VarFiles = []hclfile.Source{{Name: "v.hcl", Bytes: []byte(h.file())}}
	}
	_, problems := hclfile.Load([]hclfile.Source{{Name: "m.hcl", Bytes: []byte(h.text()), JSON: h.json}}, in)
	for _, p := range problems {
		if len(p.Summary)+len(p.Hint) > 2000 {
			t.Errorf("%s has %d bytes of text", p.Code, len(p.Summary)+len(p.Hint))
		}
		if p.Code == h.code {
			return
		}
	}
	for i, p := range problems {
		if i < 5 && (h.code != "" || p.Code[0] == 'E') {
			t.Errorf("%s %s", p.Code, p.Summary)
		}
	}
	if h.code != "" {
		t.Errorf("no %s among %d problems", h.code, len(problems))
	}
}

// TestHostile loads each in a process of its own, so that one that ends the process
// is a failure like any other. It has no race detector, which would make that slow
// and finds nothing in a single goroutine.
func TestHostile(t *testing.T) {
	self := enginetest.BuildPlainTest(t, "hclfile.test", ".")
	for name := range hostile {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			child := exec.CommandContext(ctx, self, "-test.run=^TestHostileChild$")
			child.Env = append(os.Environ(), hostileVariable+"="+name, "GOMEMLIMIT=1GiB")
			out, err := child.CombinedOutput()
			if err != nil {
				t.Errorf("%v %v\n%s", err, ctx.Err(), out[:min(len(out), 2000)])
			}
			if usage := child.ProcessState; usage != nil {
				t.Logf("%v", usage.UserTime()+usage.SystemTime())
			}
			if bytes.Contains(out, []byte("SKIP")) {
				t.Error("it was skipped")
			}
		})
	}
}
