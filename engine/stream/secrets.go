package stream

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MinSecret is the length in bytes of the shortest value that is masked. A
// shorter one occurs by chance, and the masks would tell where it does.
const MinSecret = 6

// maxSecrets bounds the values together, in bytes. It is more than the kernel
// lets an environment hold, and keeps a trie within half a GiB.
const maxSecrets = 16 << 20

// Secret is a value that must not be shown, and the name that is shown instead.
type Secret struct{ Name, Value string }

// Secrets masks a set of values, see the package comment. It never changes, is
// safe for concurrent use, and takes about 32 bytes of memory for each byte of
// the values. A nil *Secrets masks nothing.
type Secrets struct {
	values []value // all different, in the order given
	trie   *trie   // of values; nil if there are none
}

// value is the value of a secret and what is written instead of it.
type value struct {
	name       string
	text, mask []byte
}

// NewSecrets returns the masking of a list of secrets. Of two with the same
// value the first gives the name; two with the same name are two values. The
// error tells all that can't be masked safely, one a line, and no value: a
// value that is shorter than MinSecret or part of a mask, a name that is empty,
// a NUL in either, and values of more than 16 MiB together.
func NewSecrets(list []Secret) (*Secrets, error) {
	if err := checkSecrets(list); err != nil {
		return nil, err
	}
	s := &Secrets{}
	seen := map[string]bool{}
	for _, secret := range list {
		if !seen[secret.Value] {
			seen[secret.Value] = true
			s.values = append(s.values, value{secret.Name, []byte(secret.Value), []byte(mask(secret.Name))})
		}
	}
	if len(s.values) > 0 {
		s.trie = newTrie(s.values)
	}
	return s, nil
}

func mask(name string) string { return "[masked:" + name + "]" }

func checkSecrets(list []Secret) error {
	var problems []error
	total := 0
	for i, s := range list {
		if s.Name == "" {
			problems = append(problems, fmt.Errorf("secret %d of %d has no name: give it one", i+1, len(list)))
		}
		if strings.ContainsRune(s.Name, 0) {
			problems = append(problems, fmt.Errorf("secret %q: the name has a NUL character: take it out", s.Name))
		}
		if problem := checkValue(s.Value, list); problem != "" {
			problems = append(problems, fmt.Errorf("secret %q can't be masked safely: the value %s; "+
				"give it another value or take it out of the secrets", s.Name, problem))
		}
		total += len(s.Value)
	}
	if total > maxSecrets {
		problems = append(problems, fmt.Errorf("the values of all secrets have %d bytes together, more than %d: "+
			"hand large ones over in files", total, maxSecrets))
	}
	return errors.Join(problems...)
}

// checkValue says what is wrong with a value, without saying what it is.
func checkValue(value string, list []Secret) string {
	switch {
	case len(value) < MinSecret:
		return fmt.Sprintf("is shorter than %d bytes", MinSecret)
	case strings.ContainsRune(value, 0):
		return "has a NUL character"
	case slices.ContainsFunc(list, func(s Secret) bool { return strings.Contains(mask(s.Name), value) }):
		return "is part of the text that stands for a masked one"
	}
	return ""
}

// Empty reports whether nothing is masked.
func (s *Secrets) Empty() bool { return s == nil || len(s.values) == 0 }

// Find returns the names of the values that occur in text, also where two of
// them overlap, in the order given and each once.
func (s *Secrets) Find(text []byte) []string {
	if s.Empty() {
		return nil
	}
	var names []string
	for _, v := range s.values {
		if bytes.Contains(text, v.text) && !slices.Contains(names, v.name) {
			names = append(names, v.name)
		}
	}
	return names
}

// Mask returns a complete text with the values in it masked. A value that is
// cut off at the end is text like any other.
func (s *Secrets) Mask(text string) string {
	m := s.NewMasker()
	var out strings.Builder
	out.Write(m.Write([]byte(text)))
	out.Write(m.finish())
	return out.String()
}

// NewMasker returns a Masker at the beginning of a stream.
func (s *Secrets) NewMasker() *Masker {
	if s.Empty() {
		return &Masker{}
	}
	return &Masker{values: s.values, trie: s.trie}
}
