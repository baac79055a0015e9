package completion

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// Fish returns the script for fish 3 or later.
func Fish(program grammar.Command, facts Facts) string {
	var b strings.Builder
	all := facts.places(program)
	b.WriteString(fill(fishHead, program))
	for _, p := range all {
		fishCase(&b, valued(p))
	}
	b.WriteString(fill(fishCommands, program))
	for _, p := range all[1:] {
		fishCase(&b, []string{p.name()})
	}
	b.WriteString(fill(fishMeant, program))
	for _, c := range choosing(all) {
		place, _, _ := strings.Cut(c.pattern, ",")
		fmt.Fprintf(&b, "        case %s\n            echo %s\n", fishQuote(c.pattern), fishQuote(strings.TrimSpace(place+" "+c.command)))
	}
	b.WriteString(fill(fishRead, program))
	dir, manifest := facts.spellings(program)
	writeFishKept(&b, dir, "dir")
	writeFishKept(&b, manifest, "manifest")
	b.WriteString(facts.fill(fishTail, program, fishQuote))
	for _, p := range all {
		writeFishPlace(&b, program, p)
	}
	return b.String()
}

func writeFishKept(b *strings.Builder, flags []string, variable string) {
	if len(flags) > 0 {
		fmt.Fprintf(b, "            case %s\n                set %s $here[(math $i + 1)]\n", joined(flags, fishQuote, " "), variable)
	}
}

// valued lists the flags of a place that take a value, each after the place.
func valued(p place) []string {
	var words []string
	for _, f := range p.flags {
		if f.Kind == grammar.Nothing {
			continue
		}
		for _, word := range spellings(f) {
			words = append(words, p.name()+","+word)
		}
	}
	return words
}

func fishCase(b *strings.Builder, words []string) {
	if len(words) == 0 {
		return
	}
	b.WriteString("        case")
	for _, word := range words {
		b.WriteString(" " + fishQuote(word))
	}
	b.WriteString("\n            return 0\n")
}

func writeFishPlace(b *strings.Builder, program grammar.Command, p place) {
	b.WriteString("\n")
	line := func(condition, format string, a ...any) {
		at := fmt.Sprintf("__%s_at %s%s", identifier(program), fishQuote(p.name()), condition)
		fmt.Fprintf(b, "complete -c %s -n %s %s\n", program.Name(), fishQuote(at), fmt.Sprintf(format, a...))
	}
	for _, c := range p.commands {
		line(" 1", "-a %s -d %s", fishQuote(c.Word()), fishQuote(grammar.Brief(c.Help)))
	}
	for i, arg := range p.args {
		if offer := fishOffer(program, arg); offer != "" {
			position := fmt.Sprintf(" %d", i+1)
			if arg.Repeated {
				position += " or-later"
			}
			line(position, "%s", offer)
		}
	}
	for _, f := range p.flags {
		spelling := "-l " + strings.TrimPrefix(f.Long, "--")
		if f.Short != "" {
			spelling = "-s " + strings.TrimPrefix(f.Short, "-") + " " + spelling
		}
		if f.Kind != grammar.Nothing {
			spelling += " -r " + cmp.Or(fishOffer(program, f.Value), "-f")
		}
		line("", "%s -d %s", spelling, fishQuote(grammar.Brief(f.Help)))
	}
}

func fishOffer(program grammar.Command, v grammar.Value) string {
	switch v.Kind {
	case grammar.File:
		return "-F"
	case grammar.Dir:
		return "-f -a '(__fish_complete_directories)'"
	case grammar.OneOf:
		return "-f -a " + fishQuote(strings.Join(v.Words, " "))
	case grammar.Plan, grammar.Agent:
		return "-f " + fishNames(program, v)
	case grammar.PlanFile:
		return "-F " + fishNames(program, v)
	}
	return ""
}

func fishNames(program grammar.Command, v grammar.Value) string {
	return fmt.Sprintf(`-a '(__%s_names "%s")'`, identifier(program), blocks(v))
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

const fishHead = `# fish completion for PROGRAM, printed by: PROGRAM completion fish

# Whether the flag $argv[2] takes a value after the commands in $argv[1].
function __IDENT_takes_value
    switch "$argv[1],$argv[2]"
`

const fishCommands = `    end
    return 1
end

# Whether the words in $argv[1] name a command.
function __IDENT_is_command
    switch "$argv[1]"
`

const fishMeant = `    end
    return 1
end

# The commands that are meant once those in $argv[1] are followed by the flag
# $argv[2].
function __IDENT_meant
    switch "$argv[1],$argv[2]"
`

const fishRead = `        case '*'
            echo $argv[1]
    end
end

# Reads the line up to the cursor: prints the commands, the number of the argument
# there, and each flag with a value, then the value.
function __IDENT_read
    set -l path ''
    set -l arg 1
    set -l flag ''
    set -l ended ''
    set -l given
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test -n "$flag"
            set -a given $flag $word
            set flag ''
        else if test -n "$ended"; or not string match -q -- '-?*' $word
            set -l deeper (string trim -- "$path $word")
            if test $arg -eq 1; and __IDENT_is_command $deeper
                set path $deeper
            else
                set arg (math $arg + 1)
            end
        else if test "$word" = --
            set ended yes
        else if string match -q -- '--*' $word
            set path (__IDENT_meant "$path" (string split -f 1 = -- $word))
            if string match -q -- '*=*' $word
                set -a given (string split -m 1 = -- $word)
            else if __IDENT_takes_value "$path" $word
                set flag $word
            end
        else
            # Short flags in one word; the rest of it is the value of the first that takes one.
            set -l letters (string split '' -- (string sub -s 2 -- $word))
            for i in (seq (count $letters))
                set path (__IDENT_meant "$path" -$letters[$i])
                if __IDENT_takes_value "$path" -$letters[$i]
                    if test $i -eq (count $letters)
                        set flag -$letters[$i]
                    else
                        set -a given -$letters[$i] (string sub -s (math $i + 2) -- $word)
                    end
                    break
                end
            end
        end
    end
    printf '%s\n' "$path" $arg $given
end

# Whether the cursor stands after the commands in $argv[1], and at the argument
# $argv[2], where that is given; with a third word, at it or a later one.
function __IDENT_at
    set -l here (__IDENT_read)
    test "$here[1]" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test $here[2] -eq $argv[2]; or begin
        set -q argv[3]; and test $here[2] -gt $argv[2]
    end
end

# Prints the names of the manifest's blocks of the kinds in $argv[1]. It is looked
# for where the flags on the line say.
function __IDENT_names
    set -l here (__IDENT_read)
    set -l dir ''
    set -l manifest ''
    for i in (seq 3 2 (count $here))
        switch $here[$i]
`

const fishTail = `        end
    end
    command sh -c NAMES sh $argv[1] "$dir" "$manifest" 2>/dev/null
end

# Files are offered only where said below.
complete -c PROGRAM -f
`
