package completion

import (
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// Facts are what the grammar does not say about values.
type Facts struct {
	Codes        []string // all that a value of the kind Code can be
	Manifest     string   // the name of the file, looked for in the current directory and upward
	Companions   string   // a pattern of the files beside it that are a part of it
	Name         string   // what names in it match: an extended regular expression without groups
	DirFlag      string   // the flag of the program that names the directory to begin in, with its hyphens
	ManifestFlag string   // the flag of the program that names another manifest
}

// places are those of the program, with the words of codes.
func (f Facts) places(program grammar.Command) []place {
	all := places(program, nil)
	for i := range all {
		all[i].flags, all[i].args = slices.Clone(all[i].flags), slices.Clone(all[i].args)
		for j := range all[i].flags {
			f.complete(&all[i].flags[j].Value)
		}
		for j := range all[i].args {
			f.complete(&all[i].args[j])
		}
	}
	return all
}

func (f Facts) complete(v *grammar.Value) {
	if v.Kind == grammar.Code {
		v.Kind, v.Words = grammar.OneOf, f.Codes
	}
}

// blocks are the kinds of a manifest's blocks that a value is the name of, with |
// between them; empty for other values.
func blocks(v grammar.Value) string {
	switch v.Kind {
	case grammar.Plan:
		return "plan|pipeline"
	case grammar.PlanFile:
		return "plan"
	case grammar.Agent:
		return "agent"
	}
	return ""
}

// spellings are the ways to write the two flags that say where the manifest lies.
func (f Facts) spellings(program grammar.Command) (dir, manifest []string) {
	for _, flag := range program.Flags {
		switch flag.Long {
		case f.DirFlag:
			dir = spellings(flag)
		case f.ManifestFlag:
			manifest = spellings(flag)
		}
	}
	return dir, manifest
}

// fill puts names into the fixed part of a script: those that fill knows, and for
// NAMES the program of sh that reads names, quoted.
func (f Facts) fill(script string, program grammar.Command, quote func(string) string) string {
	reader := strings.NewReplacer("MANIFEST", f.Manifest, "COMPANIONS", f.Companions, "NAME", f.Name).Replace(namesOf)
	return strings.Replace(fill(script, program), "NAMES", quote(reader), 1)
}

// joined are words of a script, quoted.
func joined(words []string, quote func(string) string, between string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, quote(word))
	}
	return strings.Join(quoted, between)
}

// namesOf prints the names of blocks of the kinds in $1. It looks from the
// directory $2 upward, or takes the manifest $3. Whatever the files hold, only
// names are printed: sed takes bytes, and prints nothing but what matched. Files
// that are empty by their size are left out because those of /proc are, some of
// which can be read forever; a manifest has at most 1 MiB and 256 companions.
const namesOf = `export LC_ALL=C
kinds=$1 dir=$2 main=$3 count=0
case $dir in
"~" | "~/"*) dir=$HOME${dir#"~"} ;;
/*) ;;
*) dir=./$dir ;;
esac
cd -P "$dir" || exit 0
case $main in
"")
	top=$PWD
	until [ -e "$top/MANIFEST" ]; do
		[ "$top" ] || exit 0
		top=${top%/*}
	done
	main=$top/MANIFEST
	;;
"~/"*)
	main=$HOME${main#"~"}
	top=${main%/*}
	;;
*/*) top=${main%/*} ;;
*) top=. ;;
esac
[ -e "$main" ] || exit 0
for file in "$main" "$top"/COMPANIONS; do
	[ "$((count += 1))" -le 257 ] || break
	[ -f "$file" ] && [ -s "$file" ] && head -c 1048576 <"$file" && echo
done | sed -n -E "s/^($kinds)[[:blank:]]+\"(NAME)\".*/\\2/p" | sort -u`
