package manifest

import (
	"errors"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/argv"
	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

func (b *builder) command(attr *hclfile.Attr) (words Command, ok bool) {
	command, _ := attr.Value.(hclfile.Command)
	var err error
	at := attr.Range
	if command.Line != nil {
		words, err = argv.Parse(command.Line.Value)
		at = command.Line.Range
	} else {
		words, at, err = argvWords(command.Words, at)
	}
	switch {
	case errors.Is(err, argv.ErrEmpty):
		b.report("E405", at, `Write the program and its arguments, for example ["my-agent", "{prompt_file}"].`, "the command is empty")
	case err != nil && attr.Varies:
		b.report("E404", at, "Write {{ and }} for braces, and a list of words where a variable may hold quotes.", "command: a placeholder, a brace or a quote is wrong with the value that a variable has")
	case err != nil:
		fault, hint := advice(err)
		b.report("E404", at, hint, "command: %s", fault)
	}
	return words, err == nil
}

// advice divides what an error says behind its last semicolon, if that tells what
// to do, from the rest.
func advice(err error) (fault, hint string) {
	text := err.Error()
	at := strings.LastIndex(text, "; ")
	if at < 0 {
		return text, ""
	}
	fault, hint = text[:at], text[at+2:]
	for _, verb := range []string{"supported", "write", "create", "correct"} {
		if strings.HasPrefix(hint, verb) {
			return fault, strings.ToUpper(hint[:1]) + hint[1:] + "."
		}
	}
	return text, ""
}

// argvWords checks the words of a list, and says where the first bad one is.
func argvWords(list []hclfile.Text, all problem.Range) (Command, problem.Range, error) {
	words := make(Command, len(list))
	for i, text := range list {
		words[i] = text.Value
		if err := argv.Check([]string{text.Value}); i > 0 && err != nil && !errors.Is(err, argv.ErrEmpty) {
			return nil, text.Range, err
		}
	}
	if err := argv.Check(words); err != nil {
		if len(list) > 0 {
			all = list[0].Range
		}
		return nil, all, err
	}
	return words, all, nil
}
