package completion

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// Bash returns the script for bash 4 or later. It does without the package
// bash-completion.
func Bash(program grammar.Command) string {
	var b strings.Builder
	all := places(program, nil)
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
	b.WriteString(fill(bashTail, program))
	return b.String()
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

const bashTail = `	*) return 1 ;;
	esac
}

_IDENT() {
	local IFS=$' \t\n' word='' path='' flag='' commands='' flags='' offer=''
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
			if [[ $word != *=* ]] && _IDENT_value "$path" "$word"; then
				flag=$word
			fi
		else
			# Short flags in one word; the rest of it is the value of the first that takes one.
			for ((i = 1; i < ${#word}; i++)); do
				_IDENT_mean "-${word:i:1}"
				if _IDENT_value "$path" "-${word:i:1}"; then
					((i + 1 < ${#word})) || flag=-${word:i:1}
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
	file) compopt -o default ;;
	dir) compopt -o dirnames ;;
	'words '*) commands+=" ${offer#words }" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
}

complete -F _IDENT PROGRAM
`
