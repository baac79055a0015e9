package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/ui"
	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// version is set by the linker.
var version = "dev"

// testOnlySeam lets tests fail or kill the process at each durable step.
var testOnlySeam fsx.Seam

// testOnlyGrace lets tests with workers that ignore SIGTERM be short.
var testOnlyGrace = binding.DefaultGrace

// cli is the whole grammar. A command is a struct with its flags and a Run
// method in a file of its own.
type cli struct {
	Directory string           `short:"C" placeholder:"DIR" help:"Take relative paths from DIR instead of the current directory."`
	Quiet     bool             `short:"q" help:"Show no worker output and no progress; the result and errors are still shown."`
	Color     ui.Color         `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Show colours: always, never, or auto, on a terminal. NO_COLOR and CLICOLOR_FORCE change auto."`
	Version   kong.VersionFlag `help:"Print the version."`

	manifestFlags

	Run      runCmd      `cmd:"" help:"Run the remaining phases of a plan."`
	Status   statusCmd   `cmd:"" help:"Show where plans stand."`
	Init     initCmd     `cmd:"" help:"Start a repository off."`
	Validate validateCmd `cmd:"" help:"Check a manifest, and what it needs to run."`
	Show     showCmd     `cmd:"" help:"Show how plans of a manifest would run, and why."`
	Fmt      fmtCmd      `cmd:"" help:"Lay manifests out in one way."`
	Graph    graphCmd    `cmd:"" help:"Show what a manifest connects."`
	Explain  explainCmd  `cmd:"" help:"Say what the code of a problem means."`
	Plan     planCmd     `cmd:"" help:"Check, show and write plans."`
	Attempts attemptsCmd `cmd:"" help:"Show the evidence of attempts."`

	Completion completionCmd `cmd:"" help:"Print the script that completes command lines in a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`
}

// readFlags are the flags of every command that reads and reports.
type readFlags struct {
	JSON jsonFlag `name:"json" help:"Print one JSON object instead of text; an error too."`
}

// jsonFlag tells the app about itself, so that a command can refuse as JSON.
type jsonFlag bool

// AfterApply is called by the parser.
func (j jsonFlag) AfterApply(a *app) error {
	a.json = bool(j)
	return nil
}

// app is what every command gets: the process it runs in.
type app struct {
	direct
	ctx     context.Context
	environ []string
	dir     string // absolute; what relative paths are taken from
	given   string // -C, as it was given
	json    bool
	lenient bool // a broken manifest or configuration is no error
	color   ui.Color
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File

	manifest manifestFlags
}

// path makes a path from the command line absolute.
func (a *app) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(a.dir, p)
}

const description = `Runs the phases of a Markdown plan, each in a fresh agent process, and keeps
durable evidence of everything. A phase is done only with proof, and nothing is
ever silently run twice.`

// Main runs one command line and returns the exit code. It never exits the
// process and never panics.
func Main(ctx context.Context, args, environ []string, stdin, stdout, stderr *os.File) (code int) {
	a := &app{direct: direct{stdout: stdout, stderr: stderr}, ctx: ctx, environ: environ, stdin: stdin, stdout: stdout, stderr: stderr}
	defer func() {
		if p := recover(); p != nil {
			code = exitBug
			a.Error(fmt.Sprintf("error: %v\n%s\nThis is a bug of ai-session-handler; please report it with the text above.", p, debug.Stack()))
		}
	}()
	code, err := a.dispatch(args)
	if err == nil {
		err = a.lost
	}
	if err != nil {
		a.report(a, err)
		return codeOf(err)
	}
	return code
}

// earlyExit unwinds from --help and --version.
type earlyExit int

// dispatch parses and runs. The exit code counts when there is no error.
func (a *app) dispatch(args []string) (code int, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case earlyExit:
			code = int(p)
		default:
			panic(p)
		}
	}()
	var grammar cli
	parser, err := kong.New(&grammar,
		kong.Name("ai-session-handler"), kong.Description(description),
		kong.Vars{"version": "ai-session-handler " + version},
		kong.Writers(a.stdout, a.stdout),
		kong.Bind(a),
		kong.Exit(func(code int) { panic(earlyExit(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return 0, err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		a.json = slices.Contains(args, "--json") // the flag itself was not applied
		return 0, usageError(err)
	}
	if err := a.configure(&grammar); err != nil {
		return 0, err
	}
	err = parsed.Run(a, &code)
	return code, err
}

func (a *app) configure(grammar *cli) error {
	cwd, err := os.Getwd()
	if err != nil {
		return inputErrorf("the current directory can't be found: %v", err)
	}
	a.dir, a.quiet, a.color, a.manifest = cwd, grammar.Quiet, grammar.Color, grammar.manifestFlags
	a.given, a.dir = grammar.Directory, a.path(grammar.Directory)
	if info, err := os.Stat(a.dir); err != nil || !info.IsDir() {
		return inputErrorf("-C %s: not a directory", grammar.Directory)
	}
	return nil
}

// inputError is something the user gave that can't be used.
type inputError struct{ text string }

func (e *inputError) Error() string { return e.text }

func inputErrorf(format string, args ...any) error {
	return &inputError{fmt.Sprintf(format, args...)}
}

// usageError adds to kong's words where the right ones are found.
func usageError(err error) error {
	command := "ai-session-handler"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		selected := parse.Context.Selected()
		command = selected.FullPath()
		if group := selected.Parent; group != nil && group.DefaultCmd == selected {
			command = group.FullPath() // which of its commands was meant is not known
		}
	}
	if strings.Contains(err.Error(), "applies to the default command") {
		err = fmt.Errorf("%w; write it behind the command", err)
	}
	return inputErrorf("%v\n  next: %s --help", err, command)
}
