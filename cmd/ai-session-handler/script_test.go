package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ai-session-handler/ai-session-handler/engine/lock"
)

// scriptCommands are what the scripts of testdata can do beyond testscript's
// own commands. A PATTERN is a glob that must match exactly one file, except for
// await.
//
//	exits CODE PROGRAM ARG…   run a program, which must exit with CODE
//	await PATTERN [RE]        until there is a file, in which a line matches RE
//	file NAME PATTERN         put the path of the one file into $NAME
//	field PATTERN KEY WANT    the value at KEY (a.b.0.c) of a JSON file, or of
//	                          stdout; WANT is text, or a regexp as /…/
//	mode MODE PATH…           permissions, as 0600
//	keep NAME PATH…           remember these files and trees as they are
//	same NAME                 nothing of them was written, touched or replaced
//	fifo PATH                 make a FIFO
//	settled DIR               until no process holds the lock of the directory
//	paste CODE FILE           run the last command that a line of FILE, which may be
//	                          stdout or stderr, says to go on with, as a shell
//	                          would; it must exit with CODE
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits":   plain(2, scriptExits),
		"await":   plain(1, scriptAwait),
		"file":    plain(2, scriptFile),
		"field":   plain(3, scriptField),
		"mode":    plain(2, scriptMode),
		"settled": plain(1, scriptSettled),
		"paste":   plain(2, scriptPaste),
		"keep":    plain(2, scriptKeep),
		"same":    plain(1, scriptSame),
		"fifo":    plain(1, func(ts *testscript.TestScript, args []string) { ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600)) }),
	}
}

// plain is a command that takes at least so many arguments and no negation.
func plain(least int, do func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least {
			ts.Fatalf("see scriptCommands for how to use this command")
		}
		do(ts, args)
	}
}

func scriptExits(ts *testscript.TestScript, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func scriptAwait(ts *testscript.TestScript, args []string) {
	re := regexp.MustCompile("(?m)" + strings.Join(args[1:], " "))
	there := func() bool {
		matches, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		return slices.ContainsFunc(matches, func(path string) bool {
			data, err := os.ReadFile(path)
			return len(args) == 1 || err == nil && re.Match(data)
		})
	}
	for deadline := time.Now().Add(patience); !there(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("%s is not there, or does not match %s", args[0], re)
		}
	}
}

func scriptFile(ts *testscript.TestScript, args []string) { ts.Setenv(args[0], theFile(ts, args[1])) }

func theFile(ts *testscript.TestScript, pattern string) string {
	matches, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	if len(matches) != 1 {
		ts.Fatalf("%s matches %d files: %s", pattern, len(matches), strings.Join(matches, " "))
	}
	return matches[0]
}

func scriptField(ts *testscript.TestScript, args []string) {
	name, key, want := args[0], args[1], args[2]
	if name != "stdout" {
		name = theFile(ts, name)
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &value))
	for _, part := range strings.Split(key, ".") {
		value = member(ts, value, part, key)
	}
	got, ok := value.(string)
	if !ok {
		text, err := json.Marshal(value)
		ts.Check(err)
		got = string(text)
	}
	if !fits(got, want) {
		ts.Fatalf("%s is %q, want %s", key, got, want)
	}
}

func member(ts *testscript.TestScript, value any, part, key string) any {
	switch v := value.(type) {
	case map[string]any:
		if inner, ok := v[part]; ok {
			return inner
		}
	case []any:
		if i, err := strconv.Atoi(part); err == nil && i < len(v) {
			return v[i]
		}
	}
	ts.Fatalf("there is no %q of %s", part, key)
	return nil
}

func fits(got, want string) bool {
	if len(want) > 1 && strings.HasPrefix(want, "/") && strings.HasSuffix(want, "/") {
		return regexp.MustCompile(want[1 : len(want)-1]).MatchString(got)
	}
	return got == want
}

func scriptMode(ts *testscript.TestScript, args []string) {
	want, err := strconv.ParseUint(args[0], 8, 12)
	ts.Check(err)
	for _, pattern := range args[1:] {
		path := theFile(ts, pattern)
		info, err := os.Lstat(path)
		ts.Check(err)
		if info.Mode().Perm() != fs.FileMode(want) {
			ts.Fatalf("%s has mode %04o, want %s", path, info.Mode().Perm(), args[0])
		}
	}
}

func scriptSettled(ts *testscript.TestScript, args []string) {
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		l, _, err := lock.Acquire(context.Background(), ts.MkAbs(args[0]))
		if err == nil {
			ts.Check(l.Close())
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%v", err)
		}
	}
}

// goOn finds the commands that say how to go on.
var goOn = regexp.MustCompile(`(?m)^ *(?:next|to go on): (?:.*: )?(ai-session-handler .*)$`)

func scriptPaste(ts *testscript.TestScript, args []string) {
	told := goOn.FindAllStringSubmatch(ts.ReadFile(args[1]), -1)
	if len(told) == 0 {
		ts.Fatalf("%s says no command to go on with", args[1])
	}
	scriptExits(ts, []string{args[0], "sh", "-c", told[len(told)-1][1]})
}

type keptTrees struct {
	paths  []string
	before string
}

// kept is the key under which a script's keptTrees are found.
type kept string

func scriptKeep(ts *testscript.TestScript, args []string) {
	var trees keptTrees
	for _, path := range args[1:] {
		trees.paths = append(trees.paths, ts.MkAbs(path))
	}
	trees.before = listing(trees.paths)
	keepings(ts)[kept(args[0])] = trees
}

func scriptSame(ts *testscript.TestScript, args []string) {
	trees, ok := keepings(ts)[kept(args[0])]
	if !ok {
		ts.Fatalf("nothing is kept as %s", args[0])
	}
	if after := listing(trees.paths); after != trees.before {
		ts.Fatalf("before:\n%s\nafter:\n%s", trees.before, after)
	}
}

func keepings(ts *testscript.TestScript) map[kept]keptTrees {
	return ts.Value(kept("")).(map[kept]keptTrees)
}

// listing is everything about files and trees that a write would change: names,
// inodes, modes, sizes, times of content and of status, and targets of links.
func listing(paths []string) string {
	var b strings.Builder
	for _, root := range paths {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			info, statErr := os.Lstat(path)
			if err := errors.Join(err, statErr); err != nil {
				fmt.Fprintf(&b, "%s: %v\n", path, err)
				return nil
			}
			st := info.Sys().(*syscall.Stat_t)
			target, _ := os.Readlink(path)
			fmt.Fprintf(&b, "%s %d %v %d %d %d %s\n", path, st.Ino, info.Mode(), st.Size, st.Mtim.Nano(), st.Ctim.Nano(), target)
			return nil
		})
	}
	return b.String()
}

// setUpScript gives a script the fake agent and a place for what it keeps.
func setUpScript(agentDir string) func(*testscript.Env) error {
	return func(env *testscript.Env) error {
		env.Values[kept("")] = map[kept]keptTrees{}
		env.Setenv("GORACE", os.Getenv("GORACE"))
		env.Setenv("PATH", agentDir+string(os.PathListSeparator)+env.Getenv("PATH"))
		return nil
	}
}
