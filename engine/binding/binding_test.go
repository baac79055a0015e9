package binding

import (
	"testing"
	"time"
)

func TestDigestIsFixed(t *testing.T) {
	b := Binding{Agent: "a", Argv: []string{"run", "<x>"}, Limits: Limits{time.Hour, 0, 5 * time.Second}}
	const want = "358231710c4501f356b0596b1619c54566e9202e598dc5788f4ffc6870b7a0a7"
	if got := b.Digest(); got != want {
		t.Errorf("the digest of a binding changed: %s", got)
	}
	b.Command = "other spelling"
	if b.Digest() != want {
		t.Error("the spelling of the template counts")
	}
}

func TestEveryMeaningfulFieldChangesTheDigest(t *testing.T) {
	base := Binding{Agent: "a", Argv: []string{"x", "y"}, Limits: Limits{1000000, 2000000, 3000000}}
	seen := map[string]string{base.Digest(): "base"}
	for name, change := range map[string]func(*Binding){
		"agent":   func(b *Binding) { b.Agent = "b" },
		"argv":    func(b *Binding) { b.Argv = []string{"x y"} },
		"timeout": func(b *Binding) { b.Limits.Timeout = 0 },
		"idle":    func(b *Binding) { b.Limits.IdleTimeout = 0 },
		"grace":   func(b *Binding) { b.Limits.Grace = 0 },
	} {
		b := base
		change(&b)
		if other, dup := seen[b.Digest()]; dup {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[b.Digest()] = name
	}
}
