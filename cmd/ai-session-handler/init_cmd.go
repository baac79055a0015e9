package main

import (
	"path/filepath"

	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

type initCmd struct{}

// Help is the long help of the command.
func (*initCmd) Help() string {
	return `Creates .ai-session-handler/config.json and .ai-session-handler/plans/ in the
current directory, which thereby becomes a plan workspace. Nothing is overwritten.

EXIT STATUS
  0    created
  5    there is a config.json already`
}

// starterConfig has the keys and the order of the original.
const starterConfig = `{
  "agent_cmd": "codex exec",
  "max_phases": null,
  "timeout_seconds": 3600,
  "stop_on_regex": []
}
`

// Run runs the command.
func (c *initCmd) Run(a *app) error {
	outer, err := workspace.Locate(filepath.Join(filepath.Dir(a.dir), "plan.md"))
	if err != nil {
		return err
	}
	dir, err := workspace.OpenHandlerDir(a.dir, true, testOnlySeam)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.MkdirAll(workspace.PlansDir); err != nil {
		return err
	}
	path := dir.Path(workspace.ConfigFile)
	exists, err := dir.Exists(workspace.ConfigFile)
	if err != nil {
		return err
	}
	if exists {
		return inputErrorf("%s exists already and was left as it is\n  next: edit it", path)
	}
	if err := dir.Replace(workspace.ConfigFile, []byte(starterConfig)); err != nil {
		return err
	}
	a.Result("created " + path)
	a.Result("created " + dir.Path(workspace.PlansDir))
	if outer.Marker != "" && !isRoot(a.dir) {
		a.Line("warning: " + a.dir + " lies below the plan workspace " + outer.Root + "; plans below it now keep their history here, and histories kept there are not found for them")
	}
	a.Line("next: set agent_cmd in " + path + ", then: ai-session-handler plan new docs/plans/example.md")
	return nil
}

// isRoot holds for a directory that is a plan workspace in its own right.
func isRoot(dir string) bool {
	for _, marker := range []string{".git", "AGENTS.md"} {
		if matches, _ := filepath.Glob(filepath.Join(dir, marker)); len(matches) > 0 {
			return true
		}
	}
	return false
}
