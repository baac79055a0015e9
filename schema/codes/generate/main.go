// Generate writes docs/errors.md from the table of schema/codes. It needs
// schema/codes as the working directory, and is run by `make generate`.
package main

import (
	"bytes"
	_ "embed" // for the layout of the page
	"log"
	"os"
	"strings"
	"text/template"

	"github.com/ai-session-handler/ai-session-handler/schema/codes"
)

const page = "../../docs/errors.md"

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatalf("schema/codes/generate: %v", err)
	}
}

func run() error {
	data, err := generate()
	if err != nil {
		return err
	}
	return os.WriteFile(page, data, 0o644)
}

//go:embed errors.md.tmpl
var layout string

// A section is the codes of a level.
type section struct {
	Title, About string
	Codes        []codes.Code
}

func generate() ([]byte, error) {
	t, err := template.New("errors").Funcs(template.FuncMap{"lower": strings.ToLower}).Parse(layout)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, sections())
	return out.Bytes(), err
}

func sections() []section {
	all := make([]section, len(headings))
	for _, level := range codes.Levels() {
		all[level] = headings[level]
	}
	for _, c := range codes.All() {
		all[c.Level].Codes = append(all[c.Level].Codes, c)
	}
	return all
}

var headings = [...]section{
	codes.Limits:     {Title: "Limits", About: "What keeps a file from being read at all, or its values from growing without end."},
	codes.Syntax:     {Title: "Syntax", About: "The text is not HCL or JSON."},
	codes.Version:    {Title: "Version", About: "The manifest is for another release. Nothing else is reported then."},
	codes.Schema:     {Title: "Schema", About: "Blocks and arguments that the language does not have, or that are missing."},
	codes.Reference:  {Title: "Reference", About: "What names something that is not there, or something else than it may."},
	codes.Value:      {Title: "Value", About: "What an argument says can't be."},
	codes.Filesystem: {Title: "Filesystem", About: "The manifest is fine in itself, but not on this machine as it is now."},
	codes.Warning:    {Title: "Warning", About: "What is most likely not meant. Nothing is refused for it."},
}
