package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// The names of the files of a manifest.
const (
	FileName   = "ai-session-handler.hcl"
	JSONName   = "ai-session-handler.hcl.json"
	Companions = "*.handler.hcl" // beside it, joined in byte order
)

// maxCompanions bounds how many files are read before any is looked at.
const maxCompanions = 256

// maxRead is one byte more than a file may have, so that a longer one is told
// from one that fits; how large a file may be is for package hclfile.
const maxRead = 1<<20 + 1

// In looks for the manifest of a plan workspace. path is empty where it has none.
func In(root string) (path string, err error) {
	var found []string
	for _, name := range []string{FileName, JSONName} {
		_, err := os.Lstat(filepath.Join(root, name))
		switch {
		case err == nil:
			found = append(found, filepath.Join(root, name))
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	if len(found) > 1 {
		return "", &TwoError{found}
	}
	return strings.Join(found, ""), nil
}

// TwoError means that a workspace has a manifest in both forms.
type TwoError struct{ Paths []string }

func (e *TwoError) Error() string {
	return fmt.Sprintf("there are two manifests, %s and %s\n  next: remove one of them, or name one with --manifest", e.Paths[0], e.Paths[1])
}

// reader reads the files of one manifest.
type reader struct {
	root     string
	sources  []record.SourceDigest
	texts    map[string][]byte
	problems problem.List
}

// Files lists the files of a manifest: the main one, and its companions in byte
// order.
func Files(main string) ([]string, error) {
	paths := []string{main}
	entries, err := os.ReadDir(filepath.Dir(main))
	for _, entry := range entries {
		if is, _ := filepath.Match(Companions, entry.Name()); is {
			paths = append(paths, filepath.Join(filepath.Dir(main), entry.Name()))
		}
	}
	return paths, err
}

// manifestFiles reads the main file and its companions.
func (r *reader) manifestFiles(main string) []hclfile.Source {
	paths, err := Files(main)
	if err != nil {
		r.unreadable(filepath.Dir(main), err)
	}
	if n := len(paths) - 1; n > maxCompanions {
		r.problems = append(r.problems, problem.New("E007", problem.Range{File: r.name(main)}, "Join some of them.",
			"%d files %s lie beside the manifest, more than %d", n, Companions, maxCompanions))
		return nil
	}
	return r.read(paths)
}

func (r *reader) read(paths []string) (files []hclfile.Source) {
	for _, path := range paths {
		name := r.name(path)
		text, err := r.text(path)
		if err != nil {
			r.unreadable(name, err)
			continue
		}
		sum := sha256.Sum256(text)
		if digest := (record.SourceDigest{Path: name, SHA256: hex.EncodeToString(sum[:])}); !slices.Contains(r.sources, digest) {
			r.sources = append(r.sources, digest)
		}
		r.texts[name] = text
		files = append(files, hclfile.Source{Name: name, Bytes: text, JSON: strings.HasSuffix(path, ".json")})
	}
	return files
}

// name is how a file is shown and recorded: its path from the root.
func (r *reader) name(path string) string {
	rel, err := filepath.Rel(r.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

var (
	errLeaves    = errors.New("it lies outside the plan workspace")
	errIrregular = errors.New("it is not a regular file")
)

// text reads a regular file of the workspace. What a link leads to counts: a
// manifest decides which commands run, and must come with the repository.
func (r *reader) text(path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(r.root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("%w %s: %s", errLeaves, r.root, real)
	}
	file, err := r.open(rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	return io.ReadAll(io.LimitReader(file, maxRead))
}

// open opens a file below the root, whatever became of its path since that was
// resolved: no link leads out, and a FIFO does not wait for a writer.
func (r *reader) open(rel string) (*os.File, error) {
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if errors.Is(err, unix.ENXIO) { // a socket
		err = errIrregular
	}
	return file, err
}

func (r *reader) unreadable(name string, err error) {
	hint := "Correct its name or its permissions."
	switch {
	case errors.Is(err, errLeaves):
		hint = "Put the file itself into the workspace."
	case errors.Is(err, errIrregular):
		hint = "Put a file in its place, or give it another name."
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	r.problems = append(r.problems, problem.New("E506", problem.Range{File: name}, hint, "%s can't be read: %v", name, err))
}
