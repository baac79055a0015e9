package result

// Stream names one of the two output streams of a worker.
type Stream string

// The two streams, as messages and records name them.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// Result is the judgement on both streams of an attempt
// (docs/worker-protocol.md, "Out").
type Result struct {
	Verdict Verdict
	// Block is set with Valid only.
	Block Block
	// Reason is one clause saying why the verdict is not Valid, without a
	// final stop.
	Reason string
	// Stream is the one that decided; "" with None, and with Multiple where
	// each stream holds a block.
	Stream Stream
}

// Judge combines the two streams. Each is judged on its own, stdout first; one
// that fails decides, even when the other holds a good block. A good block on
// each is Multiple.
func Judge(stdout, stderr StreamResult) Result {
	switch {
	case stdout.failed():
		return stdout.on(Stdout)
	case stderr.failed():
		return stderr.on(Stderr)
	case stdout.Verdict == Valid && stderr.Verdict == Valid:
		return Result{Verdict: Multiple, Reason: "stdout and stderr each hold a block"}
	case stdout.Verdict == Valid:
		return stdout.on(Stdout)
	case stderr.Verdict == Valid:
		return stderr.on(Stderr)
	}
	return Result{Verdict: None, Reason: reasonNone}
}

func (r StreamResult) failed() bool { return r.Verdict == Invalid || r.Verdict == Multiple }

func (r StreamResult) on(s Stream) Result {
	reason := r.Reason
	if reason != "" {
		reason = "on " + string(s) + ", " + reason
	}
	return Result{Verdict: r.Verdict, Block: r.Block, Reason: reason, Stream: s}
}
