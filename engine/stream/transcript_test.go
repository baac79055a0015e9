package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

func planDir(t *testing.T) (*fsx.Dir, string) {
	t.Helper()
	path := t.TempDir()
	d, err := fsx.OpenDir(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.MkdirAll("transcripts"); err != nil {
		t.Fatal(err)
	}
	return d, path
}

func TestTranscriptKeepsEveryByteAndTheIndexTellsStreamsApart(t *testing.T) {
	d, path := planDir(t)
	now := time.Unix(0, 0)
	tr, err := Create(d, "a", []byte("head\n---\n"), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	write := func(from, text string, after time.Duration) {
		now = now.Add(after)
		if err := tr.Write(from, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("stdout", "one\x00", 0)
	write("stdout", "\xff two", 10*time.Millisecond)
	write("stderr", "oops", 5*time.Millisecond)
	if err := tr.Notice("note %d", 1); err != nil {
		t.Fatal(err)
	}
	write("stdout", "late", 2*time.Second)
	write("stdout", "later", 2*time.Second)
	artifacts, err := tr.Finish()
	if err != nil {
		t.Fatal(err)
	}
	want := "head\n---\none\x00\xff twooops\n[runner] note 1\nlatelater"
	got := read(t, filepath.Join(path, "transcripts/a.txt"))
	if got != want {
		t.Errorf("transcript %q", got)
	}
	wantIndex := indexHeader + "9\t9\tstdout\t0\n18\t4\tstderr\t15\n22\t17\trunner\t15\n39\t4\tstdout\t2015\n43\t5\tstdout\t4015\n"
	if index := read(t, filepath.Join(path, "transcripts/a.idx")); index != wantIndex {
		t.Errorf("index:\n%s", index)
	}
	sum := sha256.Sum256([]byte(want))
	if a := artifacts[0]; a.SHA256 != hex.EncodeToString(sum[:]) || a.Bytes != int64(len(want)) || tr.Written() != 22 {
		t.Errorf("artifact %+v, written %d", a, tr.Written())
	}
}

func TestAnExistingTranscriptIsNeverTouched(t *testing.T) {
	for _, name := range []string{"transcripts/a.txt", "transcripts/a.idx"} {
		d, path := planDir(t)
		if err := os.WriteFile(filepath.Join(path, name), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(d, "a", []byte("head"), time.Now); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if got := read(t, filepath.Join(path, name)); got != "old" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
