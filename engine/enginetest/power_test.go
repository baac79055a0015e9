//go:build linux

package enginetest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// Steps as a recording has them. Paths are made of directories d and files f.

func made(op, path string, inode uint64, content string) enginetest.Step {
	return enginetest.Step{Op: op, Path: path, Inode: inode, Dir: op == "mkdir", Content: []byte(content)}
}

func synced(path string, inode uint64, content string) enginetest.Step {
	return made("sync", path, inode, content)
}

func syncedDir(path string) enginetest.Step {
	return enginetest.Step{Op: "syncdir", Path: path, Inode: 1, Dir: true}
}

// crashes lists what a power loss behind the steps may leave, each once, as
// "path=content" with spaces between.
func crashes(t *testing.T, steps ...enginetest.Step) []string {
	t.Helper()
	d := enginetest.NewDisk()
	for _, s := range steps {
		if err := d.Apply(s); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for c := range d.Crashes {
		var files []string
		for path, content := range c.Tree {
			files = append(files, path+"="+strings.ReplaceAll(content, "\x00", "0"))
		}
		slices.Sort(files)
		seen[strings.Join(files, " ")] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestWhatAPowerLossMayLeave(t *testing.T) {
	temp := []enginetest.Step{made("create", "t", 2, ""), made("write", "t", 2, "new!")}
	old := []enginetest.Step{made("create", "f", 3, ""), synced("f", 3, "old"), syncedDir(".")}
	rename := made("rename", "f", 2, "new!")
	for _, test := range []struct {
		name  string
		steps []enginetest.Step
		want  []string
	}{
		{"nothing synced", temp, []string{"", "t=", "t=0000", "t=ne", "t=new!"}},
		{"the file synced", append(temp, synced("t", 2, "new!")), []string{"", "t=new!"}},
		{"the directory synced", append(temp, syncedDir(".")), []string{"t=", "t=0000", "t=ne", "t=new!"}},
		{"both synced", append(temp, synced("t", 2, "new!"), syncedDir(".")), []string{"t=new!"}},
		{
			"a replacement without any sync", slices.Concat(old, temp, []enginetest.Step{rename}),
			[]string{"f=", "f=0000", "f=ne", "f=new!", "f=old", "f=old t=", "f=old t=0000", "f=old t=ne", "f=old t=new!"},
		},
		{
			"a replacement without a sync of the directory", slices.Concat(old, temp, []enginetest.Step{synced("t", 2, "new!"), rename}),
			[]string{"f=new!", "f=old", "f=old t=new!"},
		},
		{
			"a replacement without a sync of the file", slices.Concat(old, temp, []enginetest.Step{rename, syncedDir(".")}),
			[]string{"f=", "f=0000", "f=ne", "f=new!"},
		},
		{
			"a replacement", slices.Concat(old, temp, []enginetest.Step{synced("t", 2, "new!"), rename, syncedDir(".")}),
			[]string{"f=new!"},
		},
		{
			"a synced header and more", []enginetest.Step{made("create", "f", 2, ""), synced("f", 2, "h"), syncedDir("."), made("write", "f", 2, "habc")},
			[]string{"f=h", "f=h000", "f=ha", "f=habc"},
		},
		{
			"a directory whose parent was not synced",
			[]enginetest.Step{made("mkdir", "d", 2, ""), made("create", "d/f", 3, ""), synced("d/f", 3, "x"), syncedDir("d")},
			[]string{"", "d/= d/f=x"},
		},
		{
			"a directory that was not synced itself",
			[]enginetest.Step{made("mkdir", "d", 2, ""), made("create", "d/f", 3, ""), synced("d/f", 3, "x"), syncedDir(".")},
			[]string{"d/=", "d/= d/f=x"},
		},
		{
			"a directory moved and another in its place",
			[]enginetest.Step{made("mkdir", "d", 2, ""), syncedDir("."), {Op: "rename", Path: "e", Inode: 2, Dir: true}, made("mkdir", "d", 3, "")},
			[]string{"d/=", "d/= e/=", "e/="},
		},
		{"a removal", slices.Concat(old, []enginetest.Step{{Op: "remove", Path: "f"}}), []string{"", "f=old"}},
		{
			"a number of an inode used again", slices.Concat(old, []enginetest.Step{made("create", "g", 3, ""), synced("g", 3, "x"), syncedDir(".")}),
			[]string{"f=old g=x"},
		},
		{"an operation that leaves everything as it is", slices.Concat(old, []enginetest.Step{made("close", "f", 3, "old")}), []string{"f=old"}},
	} {
		if got := crashes(t, test.steps...); !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.name, got, test.want)
		}
	}
}

// TestManyPendingChanges has more than all subsets are tried of.
func TestManyPendingChanges(t *testing.T) {
	var steps []enginetest.Step
	for i := range 7 {
		steps = append(steps, made("mkdir", string(rune('a'+i)), uint64(i+2), ""))
	}
	got := crashes(t, steps...)
	for _, want := range []string{
		"", "a/= b/= c/= d/= e/= f/= g/=", // none and all
		"d/=", "a/= b/= c/= e/= f/= g/=", "a/= b/= c/=", // one alone, all but one, a prefix
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	if slices.Contains(got, "a/= c/= e/=") {
		t.Error("more was tried than said")
	}
}

func TestARecordingOfAnotherDiskIsRefused(t *testing.T) {
	for name, steps := range map[string][]enginetest.Step{
		"a file in no directory":       {made("create", "d/f", 2, "")},
		"a sync of no file":            {synced("f", 2, "x")},
		"a sync of no directory":       {syncedDir("d")},
		"a move to another directory":  {made("create", "f", 2, ""), made("mkdir", "d", 3, ""), made("rename", "d/f", 2, "")},
		"a sync of a file that is one": {made("mkdir", "d", 2, ""), synced("d", 2, "")},
	} {
		d := enginetest.NewDisk()
		var err error
		for _, s := range steps {
			err = d.Apply(s)
		}
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestATreeIsWrittenAsItIs(t *testing.T) {
	tree := enginetest.Tree{"a/": "", "a/b/": "", "a/b/f": "x", "g": ""}
	dir := t.TempDir()
	if err := tree.WriteTo(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "a/b/f"))
	if err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestARecordingFollowsWhatHappened records real operations, from below a
// subdirectory, over a rename and an error, and compares the disk that the model
// has at the end with the real one.
func TestARecordingFollowsWhatHappened(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := enginetest.PowerLog{Root: filepath.Join(root, "root")}
	if log.Exists() {
		t.Error("there is a recording before the first step")
	}
	steps := record(t, log, func(d *fsx.Dir) error {
		if err := d.MkdirAll("a/b"); err != nil {
			return err
		}
		sub, err := d.Sub("a")
		if err != nil {
			return err
		}
		defer func() { _ = sub.Close() }()
		if err := sub.WriteNew("b/f", []byte("one")); err != nil {
			return err
		}
		for _, text := range []string{"two", "three"} {
			if err := sub.Replace("b/g", []byte(text)); err != nil {
				return err
			}
		}
		if err := sub.WriteNew("b/f", nil); err == nil {
			return fmt.Errorf("a file was overwritten")
		}
		if err := d.Rename("a", "c"); err != nil {
			return err
		}
		// Where a directory went is not known; a claim to be durable in it must
		// not be lost silently.
		if err := sub.WriteNew("b/h", nil); err == nil || !strings.Contains(err.Error(), "renamed after it was opened") {
			return fmt.Errorf("a sync in a renamed directory: %w", err)
		}
		return nil
	})
	got := crashes(t, steps...)
	want := []string{"a/= a/b/= a/b/f=one a/b/g=three", "c/= c/b/= c/b/f=one c/b/g=three"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// record records what do does in the root of the log.
func record(t *testing.T, log enginetest.PowerLog, do func(d *fsx.Dir) error) []enginetest.Step {
	t.Helper()
	if err := os.Mkdir(log.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := fsx.OpenDir(log.Root, log.Seam())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := do(d); err != nil {
		t.Fatal(err)
	}
	steps, err := log.Read()
	if err != nil {
		t.Fatal(err)
	}
	return steps
}
