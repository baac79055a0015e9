package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/stream"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// readSecrets takes the values of the named variables from the environment.
// unset names those that have none, so that there is nothing to mask.
func readSecrets(names, environ []string) (secrets *stream.Secrets, unset []string, err error) {
	var list []stream.Secret
	for _, name := range names {
		if !variableName.MatchString(name) {
			return nil, nil, inputErrorf("--secret-env %q: not the name of an environment variable", name)
		}
		values := valuesOf(name, environ)
		if len(values) == 0 {
			unset = append(unset, name)
		}
		for _, value := range values {
			list = append(list, stream.Secret{Name: name, Value: value})
		}
	}
	if secrets, err = stream.NewSecrets(list); err != nil {
		return nil, nil, inputErrorf("--secret-env: %v", err)
	}
	return secrets, unset, nil
}

// valuesOf is every value that is not empty; which of several a program sees is
// up to the program.
func valuesOf(name string, environ []string) (values []string) {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" {
			values = append(values, value)
		}
	}
	return values
}

// masking is a printer that shows no secret.
type masking struct {
	to      printer
	secrets *stream.Secrets
}

func (m masking) Line(text string)   { m.to.Line(m.secrets.Mask(text)) }
func (m masking) Result(text string) { m.to.Result(m.secrets.Mask(text)) }
func (m masking) Error(text string)  { m.to.Error(m.secrets.Mask(text)) }

func warnUnset(to printer, unset []string) {
	for _, name := range unset {
		to.Line(fmt.Sprintf("warning: --secret-env %s: it is not set, so nothing of it is masked", name))
	}
}
