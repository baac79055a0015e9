package binding

import (
	"testing"
	"time"
)

func TestDigestIsFixed(t *testing.T) {
	b := Binding{Agent: "a", Argv: []string{"run", "<x>"}, Limits: Limits{time.Hour, 0, 5 * time.Second, 1 << 20}, StopOn: []string{"x"}}
	const want = "8216036fc8d64d229f799e01fe3aa6ccc522bd8833026baefe33f62da98f38d6"
	if got := b.Digest(); got != want {
		t.Errorf("the digest of a binding changed: %s", got)
	}
	b.Command = "other spelling"
	if b.Digest() != want {
		t.Error("the spelling of the template counts")
	}
}

func TestEveryMeaningfulFieldChangesTheDigest(t *testing.T) {
	base := Binding{Agent: "a", Argv: []string{"x", "y"}, Limits: Limits{1000000, 2000000, 3000000, 4}}
	seen := map[string]string{base.Digest(): "base"}
	for name, change := range map[string]func(*Binding){
		"agent":   func(b *Binding) { b.Agent = "b" },
		"argv":    func(b *Binding) { b.Argv = []string{"x y"} },
		"timeout": func(b *Binding) { b.Limits.Timeout = 0 },
		"idle":    func(b *Binding) { b.Limits.IdleTimeout = 0 },
		"grace":   func(b *Binding) { b.Limits.Grace = 0 },
		"output":  func(b *Binding) { b.Limits.OutputMax = 0 },
		"stop":    func(b *Binding) { b.StopOn = []string{"x"} },
		"secrets": func(b *Binding) { b.Secrets = []string{"x"} },
	} {
		b := base
		change(&b)
		if other, dup := seen[b.Digest()]; dup {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[b.Digest()] = name
	}
}
