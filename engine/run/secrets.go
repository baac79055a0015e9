package run

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

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

func (v *invocation) refuseSecretPlan() error {
	if err := v.refuseSecrets("the plan "+v.job.Plan.Path, "take it out of the plan and its history, change the secret, and let the agent read it from its environment", string(v.snapshot.Source), v.job.Plan.Path); err != nil {
		return err
	}
	if err := v.refuseSecrets("a stop rule", "match what stands around it: rules see the output masked", v.job.Binding.StopOn...); err != nil {
		return err
	}
	return v.refuseSecrets("the agent's command", "let the agent read it from its environment, which every phase gets", slices.Concat(v.job.Binding.Argv, []string{v.job.Binding.Command})...)
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
	case reflect.Struct:
		for i := 0; i < x.NumField() && x.Type() != timeType; i++ {
			v.maskStrings(x.Field(i))
		}
	}
}
