package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// refuseSecrets refuses a plan, a command or a prompt that contains a value to
// be masked: it would be kept in files that nobody masks again, and a command
// line is shown to every user of the machine.
func (v *invocation) refuseSecrets(what, why string, text ...string) error {
	names := v.job.Secrets.Find([]byte(strings.Join(text, "\n")))
	if len(names) == 0 {
		return nil
	}
	return &Refusal{
		What: fmt.Sprintf("%s contains the value of %s, which is to be masked; nothing was launched for it", what, strings.Join(names, " and of ")),
		Next: []string{why, "if it is no secret, leave the name out of --secret-env"},
	}
}

// refuseSecretSources refuses a plan and a binding with a secret.
func (v *invocation) refuseSecretSources() error {
	if err := v.refuseSecrets("the plan "+v.job.Plan.Path, "take it out of the plan and its history, change the secret, and let the agent read it from its environment", string(v.snapshot.Source), v.job.Plan.Path); err != nil {
		return err
	}
	if err := v.refuseSecretBinding(v.job.Binding.Record()); err != nil {
		return err
	}
	return v.refuseManifest(v.job.Manifest)
}

// refuseSecretManifest refuses a manifest that would be kept in the state with a
// secret.
func (v *invocation) refuseSecretManifest(m *Manifest) error {
	names := []string{m.Binding.Source}
	for _, source := range m.Sources {
		names = append(names, source.Path)
	}
	if err := v.refuseSecrets("the name of the plan, the manifest or a file of it", "rename what has it in its name", names...); err != nil {
		return err
	}
	return v.refuseSecretBinding(m.Binding)
}

func (v *invocation) refuseSecretBinding(b record.Binding) error {
	if err := v.refuseSecretPhase(b.Default); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(b.Phases)) {
		if err := v.refuseSecretPhase(b.Phases[id]); err != nil {
			return err
		}
	}
	return nil
}

func (v *invocation) refuseSecretPhase(p record.PhaseBinding) error {
	if err := v.refuseSecrets("a stop rule", "match what stands around it: rules see the output masked", p.StopOn...); err != nil {
		return err
	}
	if err := v.refuseSecrets("the agent's command", "let the agent read it from its environment, which every phase gets", append(slices.Clone(p.Argv), shellquote.Join(p.Argv...), p.Agent)...); err != nil {
		return err
	}
	var set []string
	for name, value := range p.Env {
		set = append(set, name+"="+value)
	}
	if p.PassEnv != nil {
		set = append(set, *p.PassEnv...)
	}
	return v.refuseSecrets("what is set for the agent's environment", "leave it out: a worker gets the variables that are masked from the handler's environment", slices.Concat(set, p.UnsetEnv)...)
}

// maskedBinding is a binding to be shown.
func (v *invocation) maskedBinding(b record.Binding) record.Binding {
	phases := make(map[string]record.PhaseBinding, len(b.Phases))
	for id, p := range b.Phases {
		phases[id] = v.maskedPhase(p)
	}
	return record.Binding{Source: v.job.Secrets.Mask(b.Source), Default: v.maskedPhase(b.Default), Phases: phases}
}

func (v *invocation) maskedPhase(p record.PhaseBinding) (masked record.PhaseBinding) {
	// What comes back shares nothing with p, and can't fail to.
	data, _ := json.Marshal(p)
	_ = json.Unmarshal(data, &masked)
	v.maskStrings(reflect.ValueOf(&masked))
	return masked
}

func (v *invocation) refuseSecretTarget(t *target) error {
	if err := v.refuseSecrets("the agent's command line for "+t.phase.ID, "let the agent read it from its environment, and choose paths without it", t.argv...); err != nil {
		return err
	}
	return v.refuseSecrets("the prompt of "+t.phase.ID, "it is in the paths that the prompt tells of: rename what has it in its name", string(t.prompt))
}

// maskOutcome masks what an outcome says, wherever it has it from: a name that
// a process gave itself, an error of the system, an attempt that masked less.
// What names the attempt and its files stays: it is made here.
func (v *invocation) maskOutcome(o *record.Outcome) {
	made := *o
	o.Artifacts = nil
	o.Argv, o.StopOn, o.SecretEnv = slices.Clone(o.Argv), slices.Clone(o.StopOn), slices.Clone(o.SecretEnv) // shared with the state
	v.maskStrings(reflect.ValueOf(o))
	o.Format, o.AttemptID, o.Phase.ID, o.Artifacts = made.Format, made.AttemptID, made.Phase.ID, made.Artifacts
}

// maskEvent is maskOutcome for an event.
func (v *invocation) maskEvent(e *record.Event) {
	made := *e
	if e.Phase != nil { // which may be part of the state
		phase := *e.Phase
		e.Phase = &phase
	}
	v.maskStrings(reflect.ValueOf(e))
	e.Format, e.AttemptID = made.Format, made.AttemptID
	if e.Phase != nil {
		e.Phase.ID = made.Phase.ID
	}
}

var timeType = reflect.TypeFor[time.Time]()

// maskStrings masks every string that x leads to, but for words of a record's
// vocabulary, which are types of their own.
func (v *invocation) maskStrings(x reflect.Value) {
	switch x.Kind() {
	case reflect.String:
		if x.Type() == reflect.TypeFor[string]() {
			x.SetString(v.job.Secrets.Mask(x.String()))
		}
	case reflect.Pointer:
		if !x.IsNil() {
			v.maskStrings(x.Elem())
		}
	case reflect.Slice:
		for i := range x.Len() {
			v.maskStrings(x.Index(i))
		}
	case reflect.Map: // of strings
		for _, key := range x.MapKeys() {
			value := v.job.Secrets.Mask(x.MapIndex(key).String())
			x.SetMapIndex(key, reflect.Value{})
			x.SetMapIndex(reflect.ValueOf(v.job.Secrets.Mask(key.String())), reflect.ValueOf(value))
		}
	case reflect.Struct:
		for i := 0; i < x.NumField() && x.Type() != timeType; i++ {
			v.maskStrings(x.Field(i))
		}
	}
}
