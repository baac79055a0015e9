// Package binding holds what decides how the phases of one plan run, resolved:
// after a binding exists nobody reads configuration, flags or environment
// again. It is data only and imports nothing of the engine.
package binding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// DefaultTimeout bounds a phase for which nothing else is said.
const DefaultTimeout = time.Hour

// DefaultGrace is the time between asking a worker to end and killing it;
// provider command lines need up to 2.7 s to write their last words.
const DefaultGrace = 5 * time.Second

// DefaultOutputMax bounds what one attempt may print, in bytes.
const DefaultOutputMax = 2 << 30

// Binding is how the phases of one plan run.
type Binding struct {
	Agent   string   // name for records and messages
	Command string   // the template as it was given
	Argv    []string // the template's words, placeholders not yet replaced
	Limits  Limits
	StopOn  []string // stop rules, RE2; the first of several that match is told
	Secrets []string // names of environment variables whose values are masked
}

// Limits bound one attempt. Zero means no limit, except for Grace.
type Limits struct {
	Timeout     time.Duration // from release to the end of the worker
	IdleTimeout time.Duration // since the last byte on either stream
	Grace       time.Duration // between SIGTERM and SIGKILL
	OutputMax   int64         // bytes of output in the transcript
}

// digestPrefix separates this digest from any other use of the same bytes.
const digestPrefix = "ai-session-handler/binding/v1\n"

// canonical is the order and the names of what a binding digest covers.
type canonical struct {
	Agent         string   `json:"agent"`
	Argv          []string `json:"argv"`
	TimeoutMS     int64    `json:"timeout_ms"`
	IdleTimeoutMS int64    `json:"idle_timeout_ms"`
	GraceMS       int64    `json:"grace_ms"`
	OutputMax     int64    `json:"output_max_bytes"`
	StopOn        []string `json:"stop_on"`
	Secrets       []string `json:"secret_env"`
}

// Digest is the lowercase hex SHA-256 of the binding's meaning: its canonical
// JSON behind a fixed prefix.
func (b Binding) Digest() string {
	var buf bytes.Buffer
	buf.WriteString(digestPrefix)
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	// Strings, integers and lists of strings cannot fail to encode.
	_ = enc.Encode(canonical{
		Agent:         b.Agent,
		Argv:          b.Argv,
		TimeoutMS:     b.Limits.Timeout.Milliseconds(),
		IdleTimeoutMS: b.Limits.IdleTimeout.Milliseconds(),
		GraceMS:       b.Limits.Grace.Milliseconds(),
		OutputMax:     b.Limits.OutputMax,
		StopOn:        append([]string{}, b.StopOn...),
		Secrets:       append([]string{}, b.Secrets...),
	})
	sum := sha256.Sum256(buf.Bytes())
	return hex.EncodeToString(sum[:])
}
