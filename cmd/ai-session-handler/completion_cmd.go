package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/completion"
	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help is the long help of the command.
func (*completionCmd) Help() string {
	return `The script completes commands, flags, the words a flag accepts, codes, paths, and the
names of plans, pipelines and agents, which it reads from the nearest manifest in the
current directory or above. It holds everything else it needs and never runs this
program. For one shell, source it:

  source <(ai-session-handler completion bash)
  source <(ai-session-handler completion zsh)
  ai-session-handler completion fish | source

To have it always, put that line into ~/.bashrc, into ~/.zshrc behind compinit, or into
~/.config/fish/config.fish. Packages install the scripts, and so does make install.

Paths are completed from the current directory, also where -C names another. Names
are those of the manifest that -C or --manifest leads to.

EXIT STATUS
  0    the script was printed
  5    there is no script for this shell`
}

// Run runs the command.
func (c *completionCmd) Run(a *app, parsed *kong.Context) error {
	scripts := map[string]func(grammar.Command, completion.Facts) string{
		"bash": completion.Bash, "zsh": completion.Zsh, "fish": completion.Fish,
	}
	if _, err := fmt.Fprint(a.direct.stdout, scripts[c.Shell](grammar.From(parsed.Model), completionFacts())); err != nil {
		return fmt.Errorf("the script could not be written: %w", err)
	}
	return nil
}

// completionFacts are what values may be besides what the grammar says.
func completionFacts() completion.Facts {
	return completion.Facts{
		Codes:    allCodes(),
		Manifest: manifest.FileName, Companions: manifest.Companions, Name: strings.Trim(language.NamePattern, "^$"),
		DirFlag: "--directory", ManifestFlag: "--manifest",
	}
}
