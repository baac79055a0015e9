package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostileManifests would take the stack, the memory or the time of a program
// that trusts them. Each is the text of files by their names, and the code that
// is reported, empty where the manifest is good.
var hostileManifests = map[string]struct {
	code  string
	files func() map[string]string
}{
	"parentheses":      {"E004", oneLocal(strings.Repeat("(", 90_000) + "1" + strings.Repeat(")", 90_000))},
	"templates":        {"E004", oneLocal(strings.Repeat(`"${`, 50_000) + "1" + strings.Repeat(`}"`, 50_000))},
	"bangs":            {"E005", oneLocal(strings.Repeat("!", 300_000) + "true")},
	"blocks":           {"E007", whole(func(int) string { return "locals{}\n" }, 100_000)},
	"NUL":              {"E002", oneLocal("\"\x00\"")},
	"two megabytes":    {"E001", whole(func(int) string { return "# abcdefghijk\n" }, 150_000)},
	"not UTF-8":        {"E003", oneLocal("\"\xe4\"")},
	"many files":       {"E007", manyFiles},
	"doubling":         {"E006", doubledLocals},
	"chain of locals":  {"", chainOfLocals},
	"fan of locals":    {"", fanOfLocals},
	"unknown locals":   {"E304", unknownLocals},
	"chain of agents":  {"E313", chainOfAgents},
	"cycle of agents":  {"E308", cycleOfAgents},
	"cycle of stages":  {"E309", cycleOfStages},
	"dense stages":     {"E309", denseStages},
	"unknown agents":   {"E304", unknownAgents},
	"unknown stages":   {"E304", unknownStages},
	"costly rules":     {"", costlyRules},
	"phases":           {"", manyPhases},
	"one source":       {"E411", oneSource},
	"shared by a list": {"E411", sharedLists},
}

const hostileHead = "manifest {\n  version = 1\n}\nagent \"a\" {\n  command = [\"true\"]\n}\ndefaults {\n  agent = agent.a\n}\n"

func oneLocal(expression string) func() map[string]string {
	return func() map[string]string {
		return map[string]string{"ai-session-handler.hcl": hostileHead + "locals {\n  a = " + expression + "\n}\n"}
	}
}

// lines joins what a function says about each number.
func lines(line func(int) string, n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(line(i))
	}
	return out.String()
}

func whole(line func(int) string, n int) func() map[string]string {
	return func() map[string]string {
		return map[string]string{"ai-session-handler.hcl": hostileHead + lines(line, n)}
	}
}

func manyFiles() map[string]string {
	files := map[string]string{"ai-session-handler.hcl": hostileHead}
	for i := range 300 {
		files[fmt.Sprintf("f%d.handler.hcl", i)] = ""
	}
	return files
}

func inLocals(text, used string) map[string]string {
	return map[string]string{"ai-session-handler.hcl": hostileHead + "locals {\n" + text + "}\nplan \"p\" {\n  source = \"p.md\"\n  env    = { A = " + used + " }\n}\n"}
}

func doubledLocals() map[string]string {
	return inLocals("a0 = \"0123456789\"\n"+lines(func(i int) string {
		return fmt.Sprintf("a%d = \"%s\"\n", i+1, strings.Repeat(fmt.Sprintf("${local.a%d}", i), 10))
	}, 12), "local.a12")
}

func chainOfLocals() map[string]string {
	return inLocals("a0 = \"x\"\n"+lines(func(i int) string { return fmt.Sprintf("a%d = local.a%d\n", i+1, i) }, 9_999), "local.a9999")
}

func fanOfLocals() map[string]string {
	return inLocals("zero = \"x\"\n"+lines(func(i int) string { return fmt.Sprintf("a%d = \"${local.zero}y\"\n", i) }, 9_999), "local.a9998")
}

func unknownLocals() map[string]string {
	return inLocals(lines(func(i int) string { return fmt.Sprintf("a%d = local.b%d\n", i, i) }, 20_000), `"x"`)
}

func inTwoFiles(main, other string) map[string]string {
	return map[string]string{"ai-session-handler.hcl": hostileHead + main, "z.handler.hcl": other}
}

func chainOfAgents() map[string]string {
	return inTwoFiles(lines(func(i int) string {
		return fmt.Sprintf("agent \"a%d\" {\n  extends = agent.a%d\n}\n", i, i+1)
	}, 5_000), "agent \"a5000\" {\n  command = [\"true\"]\n}\n")
}

func cycleOfAgents() map[string]string {
	return inTwoFiles(lines(func(i int) string {
		return fmt.Sprintf("agent \"a%d\" {\n  extends = agent.a%d\n}\n", i, (i+1)%5_000)
	}, 5_000), "")
}

func pipelineOf(stage func(int) string, n int) map[string]string {
	return inTwoFiles("pipeline \"all\" {\n"+lines(func(i int) string {
		return fmt.Sprintf("stage \"s%d\" {\nplan=plan.p%d\ndepends_on=[%s]\n}\n", i, i, stage(i))
	}, n)+"}\n", lines(func(i int) string { return fmt.Sprintf("plan \"p%d\" {\nsource=\"p%d.md\"\n}\n", i, i) }, n))
}

func cycleOfStages() map[string]string {
	return pipelineOf(func(i int) string { return fmt.Sprintf("stage.s%d", (i+1)%5_000) }, 5_000)
}

// denseStages has a cycle for each of very many pairs.
func denseStages() map[string]string {
	return pipelineOf(func(i int) string {
		to := []string{fmt.Sprintf("stage.s%d", (i+1)%1_000)}
		for back := max(0, i-80); back <= i; back++ {
			to = append(to, fmt.Sprintf("stage.s%d", back))
		}
		return strings.Join(to, ",")
	}, 1_000)
}

func unknownStages() map[string]string {
	return pipelineOf(func(i int) string { return fmt.Sprintf("stage.t%d, stage.r%d, stage.q%d", i, i, i) }, 9_000)
}

func unknownAgents() map[string]string {
	return inTwoFiles(
		lines(func(i int) string { return fmt.Sprintf("agent \"agent-number-%d\" {\ncommand=[\"x\"]\n}\n", i) }, 9_990),
		lines(func(i int) string {
			return fmt.Sprintf("plan \"p%d\" {\nsource=\"p%d.md\"\nagent=agent.agent-numbre-%d\n}\n", i, i, i)
		}, 9_990))
}

func costlyRules() map[string]string {
	return inTwoFiles(lines(func(i int) string {
		rules := lines(func(j int) string { return fmt.Sprintf("\"%x%x{900}\",", i, j) }, 16)
		return fmt.Sprintf("agent \"a%d\" {\ncommand=[\"x\"]\nstop_on=[%s]\n}\n", i, rules)
	}, 1_000), "")
}

func manyPhases() map[string]string {
	return inTwoFiles("plan \"p\" {\nsource=\"p.md\"\n"+lines(func(i int) string { return fmt.Sprintf("phase \"%d\" {\n}\n", i+1) }, 19_000)+"}\n", "")
}

func oneSource() map[string]string {
	return inTwoFiles(lines(func(i int) string { return fmt.Sprintf("plan \"p%d\" {\nsource=\"p.md\"\n}\n", i) }, 19_000), "")
}

// sharedLists has many blocks take over what few bytes say.
func sharedLists() map[string]string {
	names := lines(func(i int) string { return fmt.Sprintf("\"N%d\",", i) }, 2_000)
	return inTwoFiles("locals {\nnames=["+names+"]\n}\nagent \"big\" {\ncommand=[\"x\"]\nsecret_env=local.names\n}\n",
		lines(func(i int) string { return fmt.Sprintf("plan \"p%d\" {\nsource=\"p.md\"\nagent=agent.big\n}\n", i) }, 15_000))
}

// TestHostileManifests validates them with the real command. A hang is ended by
// a deadline that no honest run comes near to.
func TestHostileManifests(t *testing.T) {
	for name, test := range hostileManifests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			for file, text := range test.files() {
				if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "ai-session-handler", "validate", "--level", "value")
			var out, errs bytes.Buffer
			cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &errs
			_ = cmd.Run()
			checkHostile(t, cmd.ProcessState, test.code, out.String(), errs.String())
		})
	}
}

// maxHostileMemory bounds what reading a manifest may take: 8 MiB of text, what
// is made of them, and a garbage collector that lets half of it lie.
const maxHostileMemory = 768 << 20

func checkHostile(t *testing.T, state *os.ProcessState, code, out, errs string) {
	t.Helper()
	want, says := exitInvalid, "["+code+"]"
	if code == "" {
		want, says = exitOK, ".hcl: ok ("
	}
	if state.ExitCode() != want || !strings.Contains(out, says) {
		t.Errorf("%v: %.1000s%.1000s", state, out, errs)
	}
	for _, sign := range []string{"goroutine ", "panic", "fatal error"} {
		if strings.Contains(errs, sign) {
			t.Errorf("it crashed: %.1000s", errs)
		}
	}
	if len(out) > 200_000 {
		t.Errorf("it says %d bytes", len(out))
	}
	usage, _ := state.SysUsage().(*syscall.Rusage)
	if memory := usage.Maxrss << 10; memory > maxHostileMemory && !raceDetector {
		t.Errorf("it took %d MiB", memory>>20)
	}
	t.Logf("%v CPU, %d MiB", state.UserTime()+state.SystemTime(), usage.Maxrss>>10)
}
