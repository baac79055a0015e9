package run_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// history is one directory below plans/, as a power loss left it.
type history struct {
	name  string                   // the plan's key, or that of one moved aside
	files map[string]string        // by their path in the directory
	state *record.State            // nil where there is none
	ids   map[string]record.Status // of the attempts the state knows; the active one has none
}

var plansPrefix = path.Join(workspace.DirName, workspace.PlansDir) + "/"

// histories finds all histories of a tree.
func (r *records) histories(tree enginetest.Tree) ([]history, error) {
	all := map[string]map[string]string{}
	for name, text := range tree {
		rest, below := strings.CutPrefix(name, plansPrefix)
		if !below || rest == "" {
			continue
		}
		key, file, _ := strings.Cut(rest, "/")
		if all[key] == nil {
			all[key] = map[string]string{}
		}
		if file != "" && !strings.HasSuffix(file, "/") {
			all[key][file] = text
		}
	}
	var list []history
	for key, files := range all {
		h, err := r.history(key, files)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

func (r *records) history(key string, files map[string]string) (history, error) {
	h := history{name: key, files: files, ids: map[string]record.Status{}}
	text, found := files[workspace.StateFile]
	if !found {
		return h, nil
	}
	st, err := r.state(text)
	if err != nil {
		return h, fmt.Errorf("the state is not valid: %w", err)
	}
	h.state = st
	for _, c := range st.CommittedOutcomes {
		h.ids[c.AttemptID] = c.Status
	}
	if a := st.ActiveAttempt; a != nil {
		h.ids[a.ID] = ""
	}
	return h, nil
}

// manifestDigest is that of the file that the accepted manifest came from, empty
// for none.
func (h history) manifestDigest() string {
	if h.state == nil {
		return "no state"
	}
	if h.state.Manifest == nil {
		return ""
	}
	return h.state.Manifest.Sources[0].SHA256
}

// records reads what lies on the disks, each text once.
type records struct {
	states   map[string]*record.State
	outcomes map[string]*record.Outcome
	exits    map[string]error
	digests  map[string]string
}

func newRecords() *records {
	return &records{map[string]*record.State{}, map[string]*record.Outcome{}, map[string]error{}, map[string]string{}}
}

func (r *records) state(text string) (*record.State, error) {
	if st, known := r.states[text]; known {
		return st, nil
	}
	var st record.State
	if err := record.Decode([]byte(text), &st); err != nil {
		return nil, err
	}
	if problems := state.Validate(st); len(problems) > 0 {
		return nil, fmt.Errorf("%v", problems)
	}
	r.states[text] = &st
	return &st, nil
}

func (r *records) outcome(text string) (*record.Outcome, error) {
	if o, known := r.outcomes[text]; known {
		return o, nil
	}
	var o record.Outcome
	if err := record.Decode([]byte(text), &o); err != nil {
		return nil, err
	}
	r.outcomes[text] = &o
	return &o, nil
}

// exit returns what is wrong with an exit record.
func (r *records) exit(attempt, text string) error {
	if err, known := r.exits[text]; known {
		return err
	}
	var e record.Exit
	err := record.Decode([]byte(text), &e)
	if err == nil && e.AttemptID != attempt {
		err = errors.New("is of another attempt")
	}
	r.exits[text] = err
	return err
}

func (r *records) digest(text string) string {
	sum, known := r.digests[text]
	if !known {
		sum = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		r.digests[text] = sum
	}
	return sum
}
