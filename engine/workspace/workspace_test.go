package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

func touch(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func locate(t *testing.T, path string) Plan {
	t.Helper()
	p, err := Locate(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestKeyIsThatOfTheOriginal(t *testing.T) {
	const want = "38c935d0d3d406039d9180e04da68efefc3b1eac6c90cbdd9804e5971e209273"
	if got := (Plan{Relative: "docs/plans/p.md"}).Key(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestTheNearestMarkerOwnsThePlan(t *testing.T) {
	for _, marker := range []string{".git/HEAD", "AGENTS.md", DirName + "/config.json"} {
		dir := realDir(t)
		touch(t, filepath.Join(dir, ".git/HEAD"))
		plan := touch(t, filepath.Join(dir, "sub/docs/p.md"))
		touch(t, filepath.Join(dir, "sub", marker))
		p := locate(t, plan)
		if p.Root != filepath.Join(dir, "sub") || p.Relative != "docs/p.md" {
			t.Errorf("%s: %+v", marker, p)
		}
	}
}

func TestEveryWayToNameAPlanLeadsToOneHistory(t *testing.T) {
	dir := realDir(t)
	touch(t, filepath.Join(dir, ".git/HEAD"))
	plan := touch(t, filepath.Join(dir, "docs/p.md"))
	want := locate(t, plan)
	if err := os.Symlink(dir, dir+".link"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir + ".link") })
	if err := os.Symlink("docs/p.md", filepath.Join(dir, "alias.md")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir + ".link/docs/p.md", dir + "/docs/../docs/p.md", dir + "/alias.md"} {
		if got := locate(t, name); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if err := os.Remove(plan); err != nil {
		t.Fatal(err)
	}
	if got := locate(t, dir+".link/docs/p.md"); got != want {
		t.Errorf("when the plan is gone: %+v", got)
	}
}

func TestOuterRootsFindsAHistoryThatANestedMarkerWouldHide(t *testing.T) {
	dir := realDir(t)
	touch(t, filepath.Join(dir, ".git/HEAD"))
	plan := touch(t, filepath.Join(dir, "docs/p.md"))
	touch(t, locate(t, plan).StatePath())
	touch(t, filepath.Join(dir, "docs/AGENTS.md"))
	p := locate(t, plan)
	if p.Root != filepath.Join(dir, "docs") {
		t.Fatalf("%+v", p)
	}
	if roots, err := p.OuterRoots(); err != nil || len(roots) != 1 || roots[0] != dir {
		t.Errorf("outer roots %v, %v", roots, err)
	}
}

// TestAMarkerThatCantBeLookedForIsNotTakenForMissing uses a directory so deep
// that the path of its markers is too long to be looked at, and a marker above.
func TestAMarkerThatCantBeLookedForIsNotTakenForMissing(t *testing.T) {
	dir := realDir(t)
	touch(t, filepath.Join(dir, ".git/HEAD"))
	for len(dir) < 4090 {
		dir = filepath.Join(dir, strings.Repeat("d", min(200, 4090-len(dir))))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := Locate(filepath.Join(dir, "p")); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("%+v, %v", p, err)
	}
	outer := Plan{Path: filepath.Join(dir, "p"), Root: dir}
	if roots, err := outer.OuterRoots(); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("outer roots %v, %v", roots, err)
	}
}

func TestExecutionNeedsADirectoryWithAgentsFile(t *testing.T) {
	dir := realDir(t)
	touch(t, filepath.Join(dir, "ws/.git/HEAD"))
	plan := locate(t, touch(t, filepath.Join(dir, "ws/p.md")))
	touch(t, filepath.Join(dir, "good/AGENTS.md"))
	touch(t, filepath.Join(dir, "bare/x"))
	if err := os.MkdirAll(filepath.Join(dir, "odd/AGENTS.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../good", filepath.Join(dir, "ws/link")); err != nil {
		t.Fatal(err)
	}
	for declared, want := range map[string]string{
		"../good": "", "link": "", "../bare": "no AGENTS.md", "../odd": "no AGENTS.md",
		"../bare/x": "not a directory", "gone": "no such file",
	} {
		got, err := plan.Execution("phase-1", declared)
		if want == "" {
			if err != nil || got != filepath.Join(dir, "good") {
				t.Errorf("%s: %s, %v", declared, got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "phase-1") {
			t.Errorf("%s: %v, want %q", declared, err, want)
		}
	}
}

func openHandler(t *testing.T, root string, create bool) (*fsx.Dir, error) {
	t.Helper()
	d, err := OpenHandlerDir(root, create, nil)
	if err == nil {
		t.Cleanup(func() { _ = d.Close() })
	}
	return d, err
}

func TestTheHandlerDirectoryIsPrivateAndIgnored(t *testing.T) {
	root := realDir(t)
	if _, err := openHandler(t, root, false); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a reader made it: %v", err)
	}
	if _, err := openHandler(t, root, true); err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(filepath.Join(root, DirName))
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	data, _ := os.ReadFile(filepath.Join(root, DirName, ".gitignore"))
	if !strings.Contains(string(data), "!config.json") {
		t.Errorf(".gitignore: %q", data)
	}
}

func TestALinkInPlaceOfTheHandlerDirectoryIsRefused(t *testing.T) {
	root := realDir(t)
	if err := os.Mkdir(filepath.Join(root, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(root, DirName)); err != nil {
		t.Fatal(err)
	}
	if _, err := openHandler(t, root, true); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("got %v", err)
	}
}

func TestArchiveKeepsTheWholeHistoryUnderANewName(t *testing.T) {
	root := realDir(t)
	touch(t, filepath.Join(root, ".git/HEAD"))
	plan := locate(t, filepath.Join(root, "p.md"))
	handler, err := openHandler(t, root, true)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 20, 13, 5, 0, time.UTC)
	for _, suffix := range []string{".archived-20261130T201305Z", ".archived-20261130T201305Z-2"} {
		dir, err := plan.OpenPlanDir(handler, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.Replace(StateFile, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		name, err := plan.Archive(handler, now)
		if err != nil || name != plan.Key()+suffix {
			t.Fatalf("%s, %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(root, DirName, PlansDir, name, StateFile)); err != nil {
			t.Error(err)
		}
	}
	if keys, err := plan.SiblingKeys(handler); err != nil || len(keys) != 0 {
		t.Errorf("archived histories are siblings: %v, %v", keys, err)
	}
}
