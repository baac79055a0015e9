package main

import (
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/manifest"
)

type initCmd struct{}

// Help is the long help of the command.
func (*initCmd) Help() string {
	return `Makes the current directory a plan workspace. It writes a starter manifest,
ai-session-handler.hcl, with profiles of agents to uncomment; docs/plans/example.md;
and .ai-session-handler with its config.json. What is there already is left as it is.

EXIT STATUS
  0    written
  5    all of it is there already, or something can't be written`
}

// starterConfig has the keys and the order of the original.
const starterConfig = `{
  "agent_cmd": "codex exec",
  "max_phases": null,
  "timeout_seconds": 3600,
  "stop_on_regex": []
}
`

//go:embed starter.hcl
var starterManifest []byte

// examplePlan is where init puts a plan; the starter manifest binds it.
const examplePlan = "docs/plans/example.md"

// Run runs the command.
func (c *initCmd) Run(a *app) error {
	outer, err := workspace.Locate(filepath.Join(filepath.Dir(a.dir), "plan.md"))
	if err != nil {
		return err
	}
	var created []string
	for _, write := range []func(dir string) (string, error){initConfig, initManifest, initPlan} {
		path, err := write(a.dir)
		switch {
		case errors.Is(err, fs.ErrExist):
			a.Line(path + " exists already and was left as it is")
		case err != nil:
			return err
		default:
			created = append(created, path)
			a.Result("created " + path)
		}
	}
	if len(created) == 0 {
		return inputErrorf("everything is there already; nothing was written\n  next: edit the manifest, then: ai-session-handler validate")
	}
	if outer.Marker != "" && !isRoot(a.dir) {
		a.Line("warning: " + a.dir + " lies below the plan workspace " + outer.Root + "; plans below it now keep their history here, and histories kept there are not found for them")
	}
	if _, err := os.Lstat(filepath.Join(a.dir, "AGENTS.md")); errors.Is(err, fs.ErrNotExist) {
		a.Line("warning: there is no AGENTS.md in " + a.dir + "; write one that tells an agent how to work here, or no phase can run in this directory")
	}
	next := "next: ai-session-handler validate"
	if slices.Contains(created, filepath.Join(a.dir, manifest.FileName)) {
		next = "next: uncomment an agent and the plan in " + manifest.FileName + ", then: ai-session-handler validate"
	}
	a.Line(next)
	return nil
}

// initConfig makes the handler's directory and its configuration.
func initConfig(root string) (string, error) {
	dir, err := workspace.OpenHandlerDir(root, true, testOnlySeam)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.MkdirAll(workspace.PlansDir); err != nil {
		return "", err
	}
	path := dir.Path(workspace.ConfigFile)
	exists, err := dir.Exists(workspace.ConfigFile)
	if err == nil && exists {
		err = fs.ErrExist
	}
	if err != nil {
		return path, err
	}
	return path, dir.Replace(workspace.ConfigFile, []byte(starterConfig))
}

func initManifest(root string) (string, error) {
	if existing, err := manifest.In(root); err != nil || existing != "" {
		return existing, errors.Join(err, fs.ErrExist)
	}
	return writeNew(root, manifest.FileName, starterManifest)
}

func initPlan(root string) (string, error) {
	return writeNew(root, examplePlan, plan.Template("Example", 2))
}

// writeNew writes a file for people below a directory, durably, with the directories
// between. One that is there, even a link that leads nowhere, is an error wrapping
// fs.ErrExist. No link leads out of the directory.
func writeNew(root, name string, text []byte) (path string, err error) {
	path = filepath.Join(root, filepath.FromSlash(name))
	dir, err := os.OpenRoot(root)
	if err != nil {
		return path, inputErrorf("%v", err)
	}
	defer func() { _ = dir.Close() }()
	if err := dir.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return path, inputErrorf("%s: %v", path, bareError(err))
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return path, err
	}
	if err != nil {
		return path, inputErrorf("%s: %v", path, bareError(err))
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return path, inputErrorf("%v", err)
	}
	return path, nil
}

// isRoot holds for a directory that is a plan workspace in its own right.
func isRoot(dir string) bool {
	for _, marker := range []string{".git", "AGENTS.md"} {
		if _, err := os.Lstat(filepath.Join(dir, marker)); err == nil {
			return true
		}
	}
	return false
}
