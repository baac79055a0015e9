package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

type fmtCmd struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Manifests, or - for standard input, then the result goes to standard output. Default: the manifest of the plan workspace and the files joined with it."`
	Check bool     `help:"Write nothing; name the files that would change and exit with 7 if there is one."`
	Diff  bool     `help:"Write nothing; show what would change."`
}

// Help is the long help of the command.
func (*fmtCmd) Help() string {
	return `Lays out manifests in one way: aligned, at most one empty line in a row, Unix line
ends, a newline at the end. What a manifest means never changes. A file with syntax
errors is left as it is. The JSON form is left alone.

EXIT STATUS
  0    done, or nothing would change
  5    a file can't be read, written, or parsed
  7    with --check: a file would change`
}

// maxFormatted bounds what is read from standard input, in bytes.
const maxFormatted = 1 << 20

// Run runs the command.
func (c *fmtCmd) Run(a *app, code *int) error {
	paths, err := c.paths(a)
	if err != nil {
		return err
	}
	failed := false
	for _, path := range paths {
		changed, err := c.format(a, path)
		if err != nil {
			failed = true
			a.refuseFile(err)
		}
		if changed && c.Check {
			*code = exitDiffers
		}
	}
	if failed {
		*code = exitInvalid
	}
	return nil
}

// refuseFile tells why a file is as it was. Others may have been written.
func (a *app) refuseFile(err error) {
	var invalid *problem.Invalid
	if errors.As(err, &invalid) {
		a.Error(invalid.Problems.Text(a.color.On(a.stderr, a.environ)) + "that file was left as it is")
		return
	}
	a.Error("error: " + advised(err))
}

func (c *fmtCmd) paths(a *app) ([]string, error) {
	if len(c.Paths) > 0 {
		return c.Paths, nil
	}
	root, err := a.root()
	if err != nil {
		return nil, err
	}
	in, err := a.manifestInput(root, settings{}) // nothing of config.json matters here
	if err != nil {
		return nil, err
	}
	if in.Path == "" {
		return nil, (&project{root: root}).noManifest()
	}
	paths, err := manifest.Files(in.Path)
	return slices.DeleteFunc(paths, isJSON), err
}

func (c *fmtCmd) format(a *app, path string) (changed bool, err error) {
	path, err = a.inWorkspace(path)
	if err != nil {
		return false, err
	}
	name, before, err := c.read(a, path)
	if err != nil {
		return false, err
	}
	source := hclfile.Source{Name: name, Bytes: before}
	problems := hclfile.Check(source)
	problems.Fill(map[string][]byte{name: before})
	if err := problems.Sort().Err(); err != nil {
		return false, err
	}
	after := hclfile.Format(before)
	changed = !bytes.Equal(before, after)
	switch {
	case c.Diff && changed:
		a.Result(udiff.Unified(name, name, string(before), string(after)))
	case c.Diff || c.Check && !changed:
	case c.Check:
		a.Result(name)
	case path == "-":
		_, err = a.stdout.Write(after)
	case changed:
		err = c.write(a, path, after)
	}
	return changed, err
}

func (c *fmtCmd) read(a *app, path string) (name string, text []byte, err error) {
	if path == "-" {
		text, err = io.ReadAll(io.LimitReader(a.stdin, maxFormatted+1))
		return "standard input", text, err
	}
	name = a.shownPath(path)
	if isJSON(path) {
		return name, nil, inputErrorf("%s: the JSON form has no layout of its own\n  next: leave it out", name)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0) // a FIFO would wait for a writer
	if err != nil {
		return name, nil, inputErrorf("%s: %v", name, bareError(err))
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
		return name, nil, inputErrorf("%s: not a regular file", name)
	}
	text, err = io.ReadAll(io.LimitReader(file, maxFormatted+1))
	return name, text, err
}

func isJSON(path string) bool { return strings.HasSuffix(path, ".json") }

// inWorkspace is where a file lies that a link may lead to. One that leads out of
// the workspace of the link is refused: a repository that somebody else wrote could
// show, and change, any file.
func (a *app) inWorkspace(path string) (string, error) {
	if path == "-" {
		return path, nil
	}
	root, err := rootAbove(filepath.Dir(a.path(path)))
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(a.path(path))
	if err != nil {
		return "", inputErrorf("%s: %v", a.shownPath(a.path(path)), bareError(err))
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return "", inputErrorf("%s: it leads out of the plan workspace, to %s\n  next: name the file itself, or put it into the workspace", a.shownPath(a.path(path)), real)
	}
	return real, nil
}

// shownPath is a path from the current directory, where it lies below it.
func (a *app) shownPath(path string) string {
	real, _ := filepath.EvalSymlinks(a.dir)
	for _, dir := range []string{a.dir, real} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// write puts the text in the place of the file.
func (c *fmtCmd) write(a *app, path string, text []byte) error {
	dir, err := fsx.OpenDir(filepath.Dir(path), testOnlySeam)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Rewrite(filepath.Base(path), text); err != nil {
		return fmt.Errorf("%s is as it was: %w", a.shownPath(path), err)
	}
	a.Line("formatted " + a.shownPath(path))
	return nil
}

// bareError is an error of the operating system without the operation and the
// path, which the message around it has.
func bareError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
