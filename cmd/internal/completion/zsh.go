package completion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// Zsh returns the script for zsh 5, to be sourced after compinit or to lie in a
// directory of $fpath under the name of the program after an underscore.
func Zsh(program grammar.Command, facts Facts) string {
	var b strings.Builder
	b.WriteString(fill(zshHead, program))
	for _, p := range facts.places(program) {
		fmt.Fprintf(&b, "\n%s() {\n", zshFunction(program, p.path...))
		if len(p.commands) == 0 {
			writeZshLeaf(&b, program, p)
		} else {
			writeZshBranch(&b, program, p)
		}
		b.WriteString("}\n")
	}
	dir, manifest := facts.spellings(program)
	b.WriteString(fill(zshKeep, program))
	writeZshKept(&b, dir, "given_dir")
	writeZshKept(&b, manifest, "given_manifest")
	b.WriteString(facts.fill(zshTail, program, zshQuote))
	return b.String()
}

// zshFunction names the function that completes what follows a command.
func zshFunction(program grammar.Command, path ...string) string {
	words := append([]string{"_" + identifier(program)}, path...)
	return strings.ReplaceAll(strings.Join(words, "__"), "-", "_")
}

// writeZshKept keeps a flag's value as it will be: without what _arguments puts
// before colons, and then without quotes.
func writeZshKept(b *strings.Builder, flags []string, variable string) {
	for _, flag := range flags {
		fmt.Fprintf(b, "\t[[ -z ${opt_args[%s]-} ]] || %s=${(Q)${(Q)opt_args[%s]}}\n", flag, variable, flag)
	}
}

func writeZshLeaf(b *strings.Builder, program grammar.Command, p place) {
	b.WriteString("\t_arguments -s -S")
	writeZshFlags(b, program, p)
	for i, arg := range p.args {
		position := fmt.Sprint(i + 1)
		if arg.Repeated {
			position = "*"
		}
		if !arg.Required && !arg.Repeated {
			position += ":"
		}
		fmt.Fprintf(b, " \\\n\t\t%s", zshQuote(position+":"+zshText(arg.Name)+":"+zshArgument(program, arg)))
	}
	b.WriteString("\n")
}

func writeZshBranch(b *strings.Builder, program grammar.Command, p place) {
	if len(p.path) == 0 {
		b.WriteString("\tlocal given_dir='' given_manifest=''\n")
	}
	b.WriteString("\tlocal curcontext=$curcontext state line\n\tlocal -A opt_args\n\tlocal -a commands=(\n")
	for _, c := range p.commands {
		fmt.Fprintf(b, "\t\t%s\n", zshQuote(zshText(c.Word())+":"+zshText(grammar.Brief(c.Help))))
	}
	b.WriteString("\t)\n\t_arguments -s -S -C -A '-*'")
	writeZshFlags(b, program, p)
	b.WriteString(" \\\n\t\t'1: :->command' \\\n\t\t'*:: :->rest' && return\n")
	fmt.Fprintf(b, "\t_%s_keep\n", identifier(program))
	b.WriteString("\tcase $state in\n\tcommand)\n\t\t_describe -t commands command commands\n")
	if len(p.args) > 0 && (p.args[0].Kind == grammar.File || blocks(p.args[0]) != "") {
		fmt.Fprintf(b, "\t\t%s\n", zshAction(program, p.args[0]))
	}
	b.WriteString("\t\t;;\n\trest)\n\t\tcase $words[1] in\n")
	for _, c := range p.commands {
		fmt.Fprintf(b, "\t\t%s) %s ;;\n", zshQuote(c.Word()), zshFunction(program, c.Path[1:]...))
	}
	if p.implied != "" {
		fmt.Fprintf(b, "\t\t*)\n\t\t\twords=(%s \"${words[@]}\")\n\t\t\t(( CURRENT++ ))\n\t\t\t%s\n\t\t\t;;\n",
			zshQuote(p.implied), zshFunction(program, append(p.path[:len(p.path):len(p.path)], p.implied)...))
	}
	b.WriteString("\t\tesac\n\t\t;;\n\tesac\n")
}

// writeZshFlags writes what _arguments wants to know of each flag: which others
// it excludes, how it is spelt, its help, and what its value is.
func writeZshFlags(b *strings.Builder, program grammar.Command, p place) {
	for _, f := range p.flags {
		rest := "[" + zshText(grammar.Brief(f.Help)) + "]"
		short, long := f.Short, f.Long
		if f.Kind != grammar.Nothing {
			short, long = short+"+", long+"="
			rest += ":" + zshText(f.Name) + ":" + zshAction(program, f.Value)
		}
		excluded := spellings(f)
		if slices.ContainsFunc(p.own, func(own grammar.Flag) bool { return own.Long == f.Long }) {
			excluded = append([]string{"1"}, excluded...) // the command is meant, no other one can be named
		}
		excludes := "(" + strings.Join(excluded, " ") + ")"
		if f.Repeated {
			excludes = "*"
		}
		if f.Short == "" {
			fmt.Fprintf(b, " \\\n\t\t%s", zshQuote(excludes+long+rest))
		} else {
			fmt.Fprintf(b, " \\\n\t\t%s{%s,%s}%s", zshQuote(excludes), short, long, zshQuote(rest))
		}
	}
}

func zshAction(program grammar.Command, v grammar.Value) string {
	switch v.Kind {
	case grammar.File:
		return "_files"
	case grammar.Dir:
		return "_files -/"
	case grammar.OneOf:
		return "(" + strings.Join(v.Words, " ") + ")"
	case grammar.Plan, grammar.Agent:
		return fmt.Sprintf(`_%s_names "%s"`, identifier(program), blocks(v))
	case grammar.PlanFile:
		return fmt.Sprintf(`_%s_names_or_files "%s"`, identifier(program), blocks(v))
	}
	return " "
}

// zshArgument is the action of an argument. Where nothing is offered it is an
// empty list: with a blank, zsh takes the argument for complete and offers no
// flags before it.
func zshArgument(program grammar.Command, v grammar.Value) string {
	if action := zshAction(program, v); action != " " {
		return action
	}
	return "()"
}

// zshText keeps text from being taken for a part of _arguments' syntax.
func zshText(s string) string {
	return strings.NewReplacer(`\`, `\\`, ":", `\:`, "[", `\[`, "]", `\]`).Replace(s)
}

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

const zshHead = `#compdef PROGRAM
# zsh completion for PROGRAM, printed by: PROGRAM completion zsh
`

const zshKeep = `
# Keeps what the flags of a command say about where the manifest lies.
_IDENT_keep() {
`

// zshTail works in both ways of loading: compinit calls the file as a function,
// and sourcing it declares one.
const zshTail = `}

# Offers the names of the manifest's blocks of the kinds in the last argument.
_IDENT_names() {
	local -a names
	_IDENT_keep
	names=(${(f)"$(command sh -c NAMES sh "$@[-1]" "$given_dir" "$given_manifest" 2>/dev/null)"})
	compadd "${(@)@[1,-2]}" -a names
}

_IDENT_names_or_files() {
	local -i none=1
	_IDENT_names "$@" && none=0
	_files "${(@)@[1,-2]}" && none=0
	return none
}

if [[ $funcstack[1] == _PROGRAM ]]; then
	_IDENT "$@"
else
	compdef _IDENT PROGRAM
fi
`
