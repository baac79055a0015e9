package supervise

import (
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// confine puts the held worker into its cgroup, so that nothing of the agent ever
// is outside. A worker that can't be put there ends with this process.
func (s *supervisor) confine(pid int) *wire.Failure {
	if s.start.Cgroup == "" {
		return nil
	}
	s.group = cgroup.Open(string(s.start.Cgroup), s.seam)
	if err := s.group.Add(pid); err != nil {
		return failure("put the worker into its cgroup", err)
	}
	return nil
}

// endGroup ends what somebody outside the tree put into the cgroup of the worker,
// and asks it what was reached.
func (s *supervisor) endGroup() []record.Leftover {
	if s.group == nil {
		return nil
	}
	facts, living := s.group.End()
	s.facts = &facts
	return living
}

// reached is "; " and what of the limits belongs into an exit record, which nobody
// reads but a person.
func (s *supervisor) reached() string {
	if s.facts != nil && s.facts.MemoryLimit {
		return "; its processes had used up the memory they may have"
	}
	return ""
}

// emptied reports whether nothing lives in the cgroup of the worker any more.
func (s *supervisor) emptied() bool {
	_ = s.group.Kill()
	populated, err := s.group.Populated()
	return err == nil && !populated
}
