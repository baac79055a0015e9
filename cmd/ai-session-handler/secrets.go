package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/stream"
	"github.com/ai-session-handler/ai-session-handler/manifest"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// readSecrets takes the values of the named variables from the environment. set
// names those that have one, unset the others, of which there is nothing to
// mask. A name that can't be one may be a value, and is never shown.
func readSecrets(names []manifest.Item, environ []string) (secrets *stream.Secrets, set []string, unset []manifest.Item, err error) {
	var list []stream.Secret
	for i, item := range names {
		if err := checkSecretName(i, item, environ); err != nil {
			return nil, nil, nil, err
		}
		values := valuesOf(item.Text, environ)
		if _, err := stream.NewSecrets(secretsNamed(item.Text, values)); err != nil {
			return nil, nil, nil, inputErrorf("%s: %v", item.Origin, err)
		}
		if len(values) > 0 {
			set = append(set, item.Text)
		} else {
			unset = append(unset, item)
		}
		list = append(list, secretsNamed(item.Text, values)...)
	}
	if secrets, err = stream.NewSecrets(list); err != nil {
		return nil, nil, nil, inputErrorf("secrets: %v", err)
	}
	return secrets, set, unset, nil
}

func secretsNamed(name string, values []string) (list []stream.Secret) {
	for _, value := range values {
		list = append(list, stream.Secret{Name: name, Value: value})
	}
	return list
}

// checkSecretName refuses what can't be a name, and what is a value.
func checkSecretName(i int, item manifest.Item, environ []string) error {
	if !variableName.MatchString(item.Text) {
		return inputErrorf("--secret-env, number %d: not the name of an environment variable\n  next: give its name, for example --secret-env API_KEY, not its value", i+1)
	}
	if len(valuesOf(item.Text, environ)) > 0 {
		return nil
	}
	if variable := holding(item.Text, environ); variable != "" {
		return inputErrorf("%s, number %d: this is the value of %s\n  next: give its name, %s", item.Origin, i+1, variable, variable)
	}
	return nil
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

func (m *masking) Line(text string)   { m.to.Line(m.secrets.Mask(text)) }
func (m *masking) Result(text string) { m.to.Result(m.secrets.Mask(text)) }
func (m *masking) Error(text string)  { m.to.Error(m.secrets.Mask(text)) }

// add masks the values of these variables instead of those before. Where that
// can't be done those before are still masked.
func (m *masking) add(items []manifest.Item, environ []string) (unset []manifest.Item, err error) {
	secrets, set, unset, err := readSecrets(items, environ)
	if err == nil {
		m.secrets, m.names = secrets, set
	}
	return unset, err
}

func warnUnset(to printer, unset []manifest.Item) {
	for _, item := range unset {
		to.Line(fmt.Sprintf("warning: %s %s: it is not set, so nothing of it is masked", item.Origin, item.Text))
	}
}
