package completion_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/completion"
)

var testFacts = completion.Facts{
	Codes: []string{"E101", "E102", "P1"}, Manifest: "main.hcl", Companions: "*.more.hcl",
	Name: "[a-z][a-z0-9_-]{0,63}", DirFlag: "--dir", ManifestFlag: "--manifest",
}

// namesGrammar has the values whose words are not a part of it.
type namesGrammar struct {
	Dir      string `short:"C" placeholder:"DIR"`
	Quiet    bool   `short:"q"`
	Manifest string `placeholder:"FILE"`

	Run struct {
		Plan  string `arg:"" optional:"" name:"plan"`
		Agent string `placeholder:"AGENT"`
		Text  string `placeholder:"X"`
		After string `placeholder:"PLAN|PATH"`
	} `cmd:""`
	Explain struct {
		Code string `arg:""`
	} `cmd:""`
	Jobs struct {
		List struct {
			Plans []string `arg:"" optional:"" name:"plan"`
		} `cmd:"" default:"withargs"`
		Show struct {
			ID string `arg:"" name:"id"`
		} `cmd:""`
	} `cmd:""`
}

func namesCases() []offerCase {
	const all = "a_b-3 rollout web weekly"
	longest := strings.Repeat("x", 64)
	return []offerCase{
		{in: "ws", line: "test-prog run ", words: all},
		{in: "ws", line: "test-prog run we", words: "web weekly"},
		{in: "ws", line: "test-prog run web "},
		{in: "ws", line: "test-prog run --text x -q ", words: all},
		{in: "ws", line: "test-prog run --agent ", words: "claude codex"},
		{in: "ws", line: "test-prog run --agent=c", words: "claude codex"},
		{in: "ws", line: "test-prog run --agent cod", words: "codex"},
		{in: "ws", line: "test-prog run --text "},
		{in: "ws", line: "test-prog jobs ", words: all + " list show"},
		{in: "ws", line: "test-prog jobs list ", words: all},
		{in: "ws", line: "test-prog jobs list web rollout ", words: all},
		{in: "ws", line: "test-prog jobs show "},

		// A plan by its name or its file. A pipeline is none.
		{in: "mixed/files", line: "test-prog run --after ", words: "plain", files: true},
		{in: "mixed/files", line: "test-prog run --after=", words: "plain", files: true},

		{in: "ws", line: "test-prog explain ", words: "E101 E102 P1"},
		{in: "ws", line: "test-prog explain E", words: "E101 E102"},
		{in: "none", line: "test-prog explain P", words: "P1"},

		// The nearest manifest upward; where there is none, nothing and no error.
		{in: "ws/sub/deep", line: "test-prog run ", words: all},
		{in: "ws/inner/sub", line: "test-prog run ", words: "inner"},
		{in: "none", line: "test-prog run "},
		{in: "none", line: "test-prog run --agent "},

		// Another directory, before the command or after it; quoted as on the line.
		{in: "none", line: "test-prog -C ../ws run ", words: all},
		{in: "none", line: "test-prog -C../ws/sub run ", words: all},
		{in: "none", line: "test-prog -qC ../ws run ", words: all},
		{in: "none", line: "test-prog -qC../ws run ", words: all, notZsh: true},
		{in: "none", line: "test-prog run --dir ../ws --agent ", words: "claude codex"},
		{in: "none", line: "test-prog run --dir=../ws ", words: all},
		{in: "none", line: `test-prog -C "../ws" run `, words: all},
		{in: "none", line: `test-prog -C ../odd\$dir:x run `, words: "odd"},
		{in: "none", line: "test-prog -C ../ws jobs list ", words: all},
		{in: "none", line: "test-prog --text -C run ../ws "},
		{in: "ws", line: "test-prog -C ../none run "},
		{in: "ws", line: "test-prog -C ../missing run "},
		{in: "ws", line: "test-prog -C - run "},
		{in: "ws", line: "test-prog -C ~/ run ", words: "at-home"},
		{in: "ws", line: "test-prog --dir ~ run ", words: "at-home"},
		{in: "ws", line: "test-prog --manifest ~/main.hcl run ", words: "at-home"},

		// Another manifest wins, from the directory that is given.
		{in: "ws", line: "test-prog --manifest other.hcl run ", words: "other web weekly"},
		{in: "none", line: "test-prog run --manifest=../ws/other.hcl ", words: "other web weekly"},
		{in: "none", line: "test-prog -C ../ws --manifest inner/main.hcl run ", words: "inner"},
		{in: "ws", line: "test-prog run --manifest missing.hcl "},
		{in: "ws", line: "test-prog run --manifest missing/x "},
		{in: "ws", line: "test-prog run --manifest $(touch${IFS}pwned) "},

		// Whatever is in the files.
		{in: "hostile", line: "test-prog run ", words: "fine latin1 " + longest},
		{in: "hostile", line: "test-prog run --agent ", words: "before"},
		{in: "pipe", line: "test-prog run "},
	}
}

// namesTree has manifests that are good, bad, and none.
func namesTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"ws/main.hcl": "manifest {\n  version = 1\n}\nagent \"codex\" {\n  plan \"indented\" {\n}\nplan \"rollout\" {\n  agent = agent.codex\n}\n" +
			"# plan \"comment\" {\nplanner \"other\" {\nplan = \"x\"\nagent \"claude\"{\npipeline \t \"a_b-3\" {}\nplan \"rollout\" {\n# The end",
		"ws/web.more.hcl":        "plan \"web\" {\r\n}\r\nplan \"weekly\" {",
		"ws/other.hcl":           "plan \"other\" {\n}\n",
		"ws/sub/deep/file":       "",
		"ws/inner/main.hcl":      "plan \"inner\" {\n}\n",
		"mixed/main.hcl":         "plan \"plain\" {\n}\npipeline \"pipes\" {\n}\n",
		"mixed/files/a-file.md":  "",
		"mixed/files/script":     "",
		"mixed/files/questions":  "",
		"mixed/files/a-dir/x":    "",
		"ws/inner/sub/x":         "",
		"odd$dir:x/main.hcl":     "plan \"odd\" {\n}\n",
		"none/file":              "",
		"pipe/file":              "",
		"hostile/main.hcl":       hostileManifest,
		"hostile/large.more.hcl": "agent \"before\" {\n" + strings.Repeat("x", 1<<20) + "\nagent \"behind\" {\n",
	} {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	must(t, unix.Mkfifo(filepath.Join(root, "pipe/main.hcl"), 0o644))
	must(t, unix.Mkfifo(filepath.Join(root, "hostile/a-pipe.more.hcl"), 0o644))
	must(t, os.Mkdir(filepath.Join(root, "hostile/a-dir.more.hcl"), 0o755))
	must(t, os.Symlink("missing", filepath.Join(root, "hostile/a-link.more.hcl")))
	must(t, os.WriteFile(filepath.Join(root, "hostile/unreadable.more.hcl"), []byte("#\n"), 0))
	t.Cleanup(func() { notRun(t, root) })
	return root
}

var hostileManifest = `plan "$(touch pwned)" {
plan "` + "`touch pwned`" + `" {
plan "fine"; touch pwned
plan "*" {
plan "-x" {
plan "two words" {
plan "UPPER" {
plan "` + strings.Repeat("x", 64) + `" {
plan "` + strings.Repeat("y", 65) + `" {
plan "latin1" ` + "\xff\xfe touch\x1b[31m {\nplan \"\xe4\" {\nplan \"nul\x00\" {\nplan \"a\u00e4\" {" + `
plan "$IFS" {
plan "a
plan "";` + "\n"

// notRun fails where something of a file was taken for a command.
func notRun(t *testing.T, root string) {
	must(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == "pwned" {
			t.Errorf("%s was made", path)
		}
		return err
	}))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
