package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	done := Block{Complete, "done"}
	tests := []struct {
		name, stdout, stderr string
		want                 Result
	}{
		{"nothing", "a", "b", Result{Reason: "no result block was printed"}},
		{"on stdout", good, "log\n", Result{Verdict: Valid, Block: done, Stream: Stdout}},
		{"on stderr only", "log\n", good, Result{Verdict: Valid, Block: done, Stream: Stderr}},
		{"good on both", good, good, Result{Verdict: Multiple, Reason: "stdout and stderr each hold a block"}},
		{"malformed on the other", good, "<phase-blocked/>",
			Result{Verdict: Invalid, Stream: Stderr, Reason: "on stderr, the phase-blocked tag at offset 0 is malformed"}},
		{"opened here, closed there", "<phase-complete>x", "</phase-complete>",
			Result{Verdict: Invalid, Stream: Stdout, Reason: "on stdout, the block is not closed by </phase-complete>"}},
		{"stdout decides before stderr", " " + good, good + good,
			Result{Verdict: Invalid, Stream: Stdout, Reason: "on stdout, <phase-complete> at offset 1 is not at the start of a line"}},
		{"multiple on stderr", good, good + good,
			Result{Verdict: Multiple, Stream: Stderr, Reason: "on stderr, more than one opening and one closing tag were printed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Judge(scan(tt.stdout), scan(tt.stderr))); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlockString(t *testing.T) {
	want := Block{Clarification, "which?"}
	if got := scan(want.String()).Block; got != want {
		t.Errorf("%q is read back as %+v", want, got)
	}
}

func TestZeroKindHasNoTag(t *testing.T) {
	if got := Kind(0).Tag(); got != "" {
		t.Errorf("tag %q", got)
	}
}
