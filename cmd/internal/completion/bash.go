package completion

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// Bash returns the script for bash 4 or later. It does without the package
// bash-completion.
func Bash(program grammar.Command, facts Facts) string {
	var b strings.Builder
	all := facts.places(program)
	b.WriteString(fill(bashHead, program))
	for _, p := range all {
		fmt.Fprintf(&b, "\t%s)\n\t\tcommands=%s\n\t\tflags=%s\n\t\t;;\n",
			bashQuote(p.name()), bashQuote(strings.Join(p.commandWords(), " ")), bashQuote(strings.Join(p.words(), " ")))
	}
	b.WriteString(fill(bashMeant, program))
	for _, c := range choosing(all) {
		fmt.Fprintf(&b, "\t%s) path+=%s ;;\n", bashQuote(c.pattern), bashQuote(" "+c.command))
	}
	b.WriteString(fill(bashValues, program))
	for _, g := range group(all, bashOffer) {
		fmt.Fprintf(&b, "\t%s)\n\t\toffer=%s\n\t\t;;\n", strings.Join(g.patterns, " | \\\n\t\t"), bashQuote(g.offer))
	}
	b.WriteString(facts.fill(bashNames, program, bashQuote))
	dir, manifest := facts.spellings(program)
	writeBashKept(&b, dir, "dir")
	writeBashKept(&b, manifest, "manifest")
	b.WriteString(fill(bashTail, program))
	return b.String()
}

func writeBashKept(b *strings.Builder, flags []string, variable string) {
	if len(flags) > 0 {
		fmt.Fprintf(b, "\t%s) %s=${2//[\\\\\\\"\\']/} ;;\n", joined(flags, bashQuote, " | "), variable)
	}
}

// A grouping is all the values that the same is offered for, as patterns of a
// shell's case: the place, a comma, and the flag or the number of the argument.
type grouping struct {
	offer    string
	patterns []string
}

func group(all []place, offer func(grammar.Value) string) []grouping {
	var groups []grouping
	at := map[string]int{}
	add := func(v grammar.Value, pattern string) {
		o := offer(v)
		i, known := at[o]
		if !known {
			i = len(groups)
			at[o], groups = i, append(groups, grouping{offer: o})
		}
		groups[i].patterns = append(groups[i].patterns, pattern)
	}
	for _, p := range all {
		for _, f := range p.flags {
			if f.Kind == grammar.Nothing {
				continue
			}
			for _, word := range spellings(f) {
				add(f.Value, bashQuote(p.name()+","+word))
			}
		}
		for i, arg := range p.args {
			pattern := bashQuote(fmt.Sprintf("%s,%d", p.name(), i+1))
			if arg.Repeated {
				pattern = fmt.Sprintf("%s[%d-9]*", bashQuote(p.name()+","), i+1)
			}
			add(arg, pattern)
		}
	}
	return groups
}

func bashOffer(v grammar.Value) string {
	switch v.Kind {
	case grammar.File:
		return "file"
	case grammar.Dir:
		return "dir"
	case grammar.OneOf:
		return "words " + strings.Join(v.Words, " ")
	case grammar.Plan, grammar.Agent:
		return "names " + blocks(v)
	case grammar.PlanFile:
		return "file " + blocks(v)
	}
	return "text"
}

func bashQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

const bashHead = `# bash completion for PROGRAM, printed by: PROGRAM completion bash
# shellcheck shell=bash

# Sets $commands and $flags to the words that may follow the commands in $1.
_IDENT_words() {
	case $1 in
`

const bashMeant = `	esac
}

# Adds to $path the command that is meant once it is followed by the flag in $1.
_IDENT_mean() {
	case "$path,$1" in
`

const bashValues = `	*) return ;;
	esac
	_IDENT_words "$path"
}

# Sets $offer to what the value of $2, a flag or the number of an argument, may be
# after the commands in $1. Fails where there is no value.
_IDENT_value() {
	offer=''
	case "$1,$2" in
`

const bashNames = `	*) return 1 ;;
	esac
}

# Prints the names of the manifest's blocks of the kinds in $1. Looks for it from the
# directory $2 upward, or takes $3.
_IDENT_names() {
	command sh -c NAMES sh "$@" 2>/dev/null
}

# Keeps the value $2 of the flag $1 where it says where the manifest lies. Quotes
# are only taken away; nothing on the line is ever evaluated.
_IDENT_keep() {
	case $1 in
`

const bashTail = `	esac
}

_IDENT() {
	local IFS=$' \t\n' word='' path='' flag='' commands='' flags='' offer='' dir='' manifest=''
	local -i i=0 n=-1 arg=1 ended=0
	local -a words=()
	COMPREPLY=()
	# Bash has cut the words at = and : as well.
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if ((n >= 0)) && [[ $word == [=:] || ${words[n]} == *[=:] ]]; then
			words[n]+=$word
		else
			words[++n]=$word
		fi
	done
	local cur=${words[n]}
	_IDENT_words ''
	for word in "${words[@]:0:n}"; do
		if [[ $flag ]]; then
			_IDENT_keep "$flag" "$word"
			flag=''
		elif ((ended)) || [[ $word != -?* ]]; then
			if ((arg == 1)) && [[ " $commands " == *" $word "* ]]; then
				path+=${path:+ }$word
				_IDENT_words "$path"
			else
				arg+=1
			fi
		elif [[ $word == -- ]]; then
			ended=1
		elif [[ $word == --* ]]; then
			_IDENT_mean "${word%%=*}"
			if [[ $word == *=* ]]; then
				_IDENT_keep "${word%%=*}" "${word#*=}"
			elif _IDENT_value "$path" "$word"; then
				flag=$word
			fi
		else
			# Short flags in one word; the rest of it is the value of the first that takes one.
			for ((i = 1; i < ${#word}; i++)); do
				_IDENT_mean "-${word:i:1}"
				if _IDENT_value "$path" "-${word:i:1}"; then
					if ((i + 1 < ${#word})); then
						_IDENT_keep "-${word:i:1}" "${word:i+1}"
					else
						flag=-${word:i:1}
					fi
					break
				fi
			done
		fi
	done
	if [[ ! $flag && $cur == --*=* ]] && ((!ended)); then
		flag=${cur%%=*} cur=${cur#*=}
	fi
	if [[ $flag ]]; then
		_IDENT_value "$path" "$flag"
		commands=''
	elif [[ $cur == -* ]] && ((!ended)); then
		offer="words $flags"
		commands=''
	else
		_IDENT_value "$path" "$arg"
		((arg == 1)) || commands=''
	fi
	case $offer in
	file*) compopt -o default ;; # where nothing else fits
	dir) compopt -o dirnames ;;
	'words '*) commands+=" ${offer#words }" ;;
	esac
	case $offer in
	'names '* | 'file '*) commands+=" $(_IDENT_names "${offer#* }" "$dir" "$manifest")" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
}

complete -F _IDENT PROGRAM
`
