package proc

import "github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"

// confine makes the cgroup that the limits of a worker need.
func (l *Launcher) confine(spec Spec) (*cgroup.Group, error) {
	if !spec.Tree.Any() {
		return nil, nil
	}
	parent, err := cgroup.Probe(l.seam, spec.Tree)
	if err != nil {
		return nil, err
	}
	return parent.Create(spec.AttemptID, spec.Tree)
}
