package run

import (
	"fmt"
	"strings"

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
		What: fmt.Sprintf("%s contains the value of %s, which is to be masked; nothing was launched", what, strings.Join(names, " and of ")),
		Next: []string{why, "if it is no secret, leave the name out of --secret-env"},
	}
}

func (v *invocation) refuseSecretPlan() error {
	if err := v.refuseSecrets("the plan "+v.job.Plan.Path, "take it out of the plan and its history, change the secret, and let the agent read it from its environment", string(v.snapshot.Source)); err != nil {
		return err
	}
	if err := v.refuseSecrets("a stop rule", "match what stands around it: rules see the output masked", v.job.Binding.StopOn...); err != nil {
		return err
	}
	return v.refuseSecrets("the agent's command", "let the agent read it from its environment, which every phase gets", append(v.job.Binding.Argv, v.job.Binding.Command)...)
}

func (v *invocation) refuseSecretTarget(t *target) error {
	if err := v.refuseSecrets("the agent's command line for "+t.phase.ID, "let the agent read it from its environment, and choose paths without it", t.argv...); err != nil {
		return err
	}
	return v.refuseSecrets("the prompt of "+t.phase.ID, "find it in the paths or in the earlier results that the prompt tells of (add --dry-run to look without running)", string(t.prompt))
}

// masked masks what the words of an outcome may have from elsewhere than the
// masked output: names that processes gave themselves, errors of the system.
func (v *invocation) masked(o record.Outcome) record.Outcome {
	o.Summary, o.Cause = v.job.Secrets.Mask(o.Summary), v.job.Secrets.Mask(o.Cause)
	for _, list := range [][]record.Leftover{o.Swept, o.Survivors} {
		for i := range list {
			list[i].Name = v.job.Secrets.Mask(list[i].Name)
		}
	}
	return o
}
