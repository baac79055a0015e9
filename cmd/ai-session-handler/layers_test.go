package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// layered is what the layers of a manifest that are there say.
type layered struct {
	name     string
	timeout  int // in minutes, which also tells its other settings apart
	inConfig bool
	flag     bool
}

// allLayers are those that may say how a phase runs, the one that counts most last.
var allLayers = []layered{
	{name: "config", timeout: 11, inConfig: true},
	{name: "defaults", timeout: 12},
	{name: "root", timeout: 13},
	{name: "leaf", timeout: 14},
	{name: "plan", timeout: 15},
	{name: "phase", timeout: 16},
	{name: "flag", timeout: 17, flag: true},
}

// settings are the arguments of a layer's block.
func (l layered) settings() string {
	return fmt.Sprintf(`
  timeout      = "%[2]dm"
  idle_timeout = "%[2]ds"
  grace        = "%[2]dms"
  output_max   = "%[2]dMB"
  stop_on      = ["NEVER-%[1]s"]
  env          = { LAYER = "%[1]s", ONLY_%[1]s = "yes" }
  unset_env    = ["UNSET_%[1]s"]
`, l.name, l.timeout)
}

// TestEachLayerCountsMoreThanTheOneBefore runs a phase under one layer more each
// time, and looks at what the worker got and under what it ran.
func TestEachLayerCountsMoreThanTheOneBefore(t *testing.T) {
	t.Parallel()
	for n := range allLayers {
		t.Run(allLayers[n].name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 2)
			flags := r.writeLayers(allLayers[:n+1])
			e := r.exec([]string{"UNSET_config=there", "UNSET_defaults=there", "UNSET_root=there", "UNSET_leaf=there", "UNSET_plan=there", "UNSET_phase=there"},
				append([]string{"run", "it", "--max-phases", "1"}, flags...)...)
			if e.code != exitOK {
				t.Fatalf("%+v", e)
			}
			r.checkLayers(allLayers[:n+1])
		})
	}
}

// writeLayers writes a manifest, and a configuration, of which those layers say
// something, and returns the flags that are the last layer.
func (r *repo) writeLayers(layers []layered) (flags []string) {
	r.t.Helper()
	said := map[string]string{}
	for _, l := range layers {
		switch {
		case l.inConfig:
			r.writeFile(".ai-session-handler/config.json", fmt.Sprintf(`{"timeout_seconds": %d, "stop_on_regex": ["NEVER-%s"], "agent_cmd": "unused"}`, 60*l.timeout, l.name))
		case l.flag:
			flags = append(flags, "--timeout", fmt.Sprintf("%dm", l.timeout), "--idle-timeout", fmt.Sprintf("%ds", l.timeout),
				"--output-max", fmt.Sprintf("%d000000", l.timeout), "--stop-on-regex", "NEVER-"+l.name)
		default:
			said[l.name] = l.settings()
		}
	}
	rel, _ := filepath.Rel(r.ws, r.plan)
	r.writeFile("ai-session-handler.hcl", fmt.Sprintf(`
manifest {
  version = 1
}

defaults {
%s}

agent "root" {
  command = ["a program of the root"]
%s}

agent "leaf" {
  extends = agent.root
  command = [%q, "env=env", "args=args", "complete=done"]
%s}

plan "it" {
  source = %q
  agent  = agent.leaf
%s
  phase "1" {
%s  }

  phase "2" {
    timeout = "3h"
    stop_on = ["."]
  }
}
`, said["defaults"], said["root"], enginetest.BuildFakeAgent(r.t), said["leaf"], rel, said["plan"], said["phase"]))
	return flags
}

func (r *repo) writeFile(name, text string) {
	r.t.Helper()
	err := os.MkdirAll(filepath.Dir(r.path(name)), 0o700)
	if err == nil {
		err = os.WriteFile(r.path(name), []byte(text), 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) checkLayers(layers []layered) {
	r.t.Helper()
	var rules []string
	for _, l := range layers {
		rules = append(rules, "NEVER-"+l.name)
	}
	o := r.lastOutcome()
	if !slices.Equal(o.StopOn, rules) || o.Agent != "leaf" {
		r.t.Errorf("agent %s, rules %q, want %q", o.Agent, o.StopOn, rules)
	}
	last := layers[len(layers)-1]
	if want := int64(last.timeout) * 60_000; o.Limits.TimeoutMS != want {
		r.t.Errorf("timeout %d, want %d", o.Limits.TimeoutMS, want)
	}
	if last.inConfig { // which says no more
		return
	}
	if want := int64(last.timeout) * 1000; o.Limits.IdleTimeoutMS != want || o.Limits.OutputMaxBytes != want*1000 {
		r.t.Errorf("limits %+v, want %d", o.Limits, want)
	}
	blocks := slices.DeleteFunc(slices.Clone(layers), func(l layered) bool { return l.inConfig || l.flag })
	nearest := blocks[len(blocks)-1]
	if o.Limits.GraceMS != int64(nearest.timeout) {
		r.t.Errorf("grace %d, want %d", o.Limits.GraceMS, nearest.timeout)
	}
	env, err := os.ReadFile(r.path("env"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, l := range allLayers {
		had := slices.ContainsFunc(blocks, func(b layered) bool { return b.name == l.name })
		if strings.Contains(string(env), "ONLY_"+l.name+"=yes\n") != had {
			r.t.Errorf("variable of %s: want %v in\n%s", l.name, had, env)
		}
		// A list replaces the one below it.
		if unset := !strings.Contains(string(env), "UNSET_"+l.name+"=there\n"); !l.flag && unset != (l.name == nearest.name) {
			r.t.Errorf("UNSET_%s is unset: %v in\n%s", l.name, unset, env)
		}
	}
	if !strings.Contains(string(env), "LAYER="+nearest.name+"\n") {
		r.t.Errorf("LAYER is not %s in\n%s", nearest.name, env)
	}
}

// lastOutcome is that of the latest attempt.
func (r *repo) lastOutcome() (o record.Outcome) {
	r.t.Helper()
	st := r.state()
	if st.LastRun == nil {
		r.t.Fatal("nothing has run")
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(r.statePath()), st.LastRun.OutcomePath))
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}
