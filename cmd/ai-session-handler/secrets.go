package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/stream"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// readSecrets takes the values of the named variables from the environment. set
// names those that have one, unset the others, of which there is nothing to
// mask. A name that can't be one may be a value, and is never shown.
func readSecrets(names, environ []string) (secrets *stream.Secrets, set, unset []string, err error) {
	var list []stream.Secret
	for i, name := range names {
		if !variableName.MatchString(name) {
			return nil, nil, nil, inputErrorf("--secret-env, number %d: not the name of an environment variable\n  next: give its name, for example --secret-env API_KEY, not its value", i+1)
		}
		values := valuesOf(name, environ)
		if len(values) > 0 {
			set = append(set, name)
		} else if variable := holding(name, environ); variable != "" {
			return nil, nil, nil, inputErrorf("--secret-env, number %d: this is the value of %s\n  next: give its name, --secret-env %s", i+1, variable, variable)
		} else {
			unset = append(unset, name)
		}
		for _, value := range values {
			list = append(list, stream.Secret{Name: name, Value: value})
		}
	}
	if secrets, err = stream.NewSecrets(list); err != nil {
		return nil, nil, nil, inputErrorf("--secret-env: %v", err)
	}
	return secrets, set, unset, nil
}

// valuesOf is every value that is not empty, since which of several a program
// sees is up to the program, and what it is without white space around it, which
// a program may take off.
func valuesOf(name string, environ []string) (values []string) {
	for _, entry := range environ {
		value, ok := strings.CutPrefix(entry, name+"=")
		if !ok || value == "" {
			continue
		}
		values = append(values, value)
		if bare := strings.TrimSpace(value); bare != value && len(bare) >= stream.MinSecret {
			values = append(values, bare)
		}
	}
	return values
}

// holding is the variable that has this value, where that is long enough to be
// a secret.
func holding(value string, environ []string) string {
	for _, entry := range environ {
		if name, held, _ := strings.Cut(entry, "="); held == value && len(value) >= stream.MinSecret {
			return name
		}
	}
	return ""
}

// masking is a printer that shows no secret.
type masking struct {
	to      printer
	secrets *stream.Secrets
	names   []string // of the variables whose values it masks
}

func (m masking) Line(text string)   { m.to.Line(m.secrets.Mask(text)) }
func (m masking) Result(text string) { m.to.Result(m.secrets.Mask(text)) }
func (m masking) Error(text string)  { m.to.Error(m.secrets.Mask(text)) }

func warnUnset(to printer, unset []string) {
	for _, name := range unset {
		to.Line(fmt.Sprintf("warning: --secret-env %s: it is not set, so nothing of it is masked", name))
	}
}
