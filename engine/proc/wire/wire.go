// Package wire holds the messages between the handler and a supervisor: JSON
// objects, one after another, over a Unix stream socket. The end of the stream
// means that the other side is gone.
package wire

import (
	"encoding/json"
	"net"
	"os"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Descriptors a supervisor starts with. 0, 1 and 2 are the worker's; from Locks
// on they are locked directories, held and never looked at.
const (
	Control = 3 + iota // the socket
	WorkDir            // the worker's working directory
	PlanDir            // where the exit record goes
	Locks
)

// Start is the first message to a supervisor: the worker to hold ready.
type Start struct {
	AttemptID string        `json:"attempt_id"`
	Path      Exact         `json:"path"` // of the executable, absolute
	Argv      []Exact       `json:"argv"`
	Env       []Exact       `json:"env"`
	Grace     time.Duration `json:"grace"`
	Cgroup    Exact         `json:"cgroup"`   // absolute path of the cgroup for the worker, empty for none
	Backstop  time.Duration `json:"backstop"` // after the release, when the handler should long have stopped the worker; 0: never
}

// Exact is a string of any bytes. JSON alone would replace those that are not
// UTF-8, and the worker would get another argument than it was given.
type Exact string

// MarshalJSON encodes the bytes in base64.
func (e Exact) MarshalJSON() ([]byte, error) { return json.Marshal([]byte(e)) }

// UnmarshalJSON decodes what MarshalJSON encodes.
func (e *Exact) UnmarshalJSON(data []byte) error {
	var b []byte
	err := json.Unmarshal(data, &b)
	*e = Exact(b)
	return err
}

// ExactAll converts a list of strings.
func ExactAll(list []string) []Exact {
	out := make([]Exact, len(list))
	for i, s := range list {
		out[i] = Exact(s)
	}
	return out
}

// Strings converts back.
func Strings(list []Exact) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = string(e)
	}
	return out
}

// Order is what the handler tells a supervisor after Start.
type Order string

// The orders.
const (
	Release   Order = "release"   // let the held worker execute
	Stop      Order = "stop"      // end the worker and its tree
	Hurry     Order = "hurry"     // shorten what is left of the grace
	Committed Order = "committed" // the end is on disk; nobody needs the supervisor any more
)

// Causes of an end that the handler must tell from others.
const (
	ByItself   = "it ended by itself"
	ByBackstop = "the handler did not stop the worker in time"
)

// Report is what a supervisor tells the handler. Exactly one field is
// set; Tree may come with Ended.
type Report struct {
	Held     *record.Process `json:"held,omitempty"`     // the worker exists and waits for its release
	Executed bool            `json:"executed,omitempty"` // the worker's program runs
	Failed   *Failure        `json:"failed,omitempty"`   // the worker's program could not be started
	Exited   bool            `json:"exited,omitempty"`   // the worker has ended, its tree is being cleaned up
	Ended    *record.Exit    `json:"ended,omitempty"`    // nothing of the tree is left, or what is left is named
	Tree     *cgroup.Facts   `json:"tree,omitempty"`     // what the worker's cgroup has counted, if it had one
}

// Failure says why a worker's program never ran.
type Failure struct {
	Op    string `json:"op"` // what was tried, for example fork, chdir or exec
	Errno int    `json:"errno"`
}

// Conn carries messages of one kind out and of another kind in.
type Conn[Out, In any] struct {
	conn net.Conn
	enc  *json.Encoder
	dec  *json.Decoder
}

// NewConn takes over the socket f.
func NewConn[Out, In any](f *os.File) (*Conn[Out, In], error) {
	conn, err := net.FileConn(f)
	_ = f.Close()
	if err != nil {
		return nil, err
	}
	return &Conn[Out, In]{conn, json.NewEncoder(conn), json.NewDecoder(conn)}, nil
}

// Send sends one message.
func (c *Conn[Out, In]) Send(m Out) error { return c.enc.Encode(m) }

// Receive waits for one message. io.EOF and every other error mean that the
// other side is gone.
func (c *Conn[Out, In]) Receive() (m In, err error) {
	err = c.dec.Decode(&m)
	return m, err
}

// Close ends the connection; the other side sees the end of the stream.
func (c *Conn[Out, In]) Close() error { return c.conn.Close() }

// ReceiveStart waits for the first message of the handler. It goes through the
// decoder of all later ones, which may have read ahead.
func (c *Conn[Out, In]) ReceiveStart(to *Start) error { return c.dec.Decode(to) }

// SendStart sends the first message to a supervisor.
func (c *Conn[Out, In]) SendStart(m Start) error { return c.enc.Encode(m) }
