package language

// Function is a function that expressions may call.
type Function struct {
	Name   string
	Params string // as a call would name them; "…" behind the last: any number of it
	Doc    string // Markdown, one sentence
}

// Functions are all of them, in the order of the reference. Each depends on its
// arguments alone: a manifest means the same on every machine. But for
// regexescape they are those of the cty standard library.
var Functions = []Function{
	{"format", "pattern, values…", "A text from a pattern with verbs: `%s` for a text, `%d` for a whole number, `%v` for any value, `%%` for a percent sign."},
	{"join", "separator, list…", "The texts of the lists as one text."},
	{"split", "separator, text", "The parts of a text as a list."},
	{"lower", "text", "The text in small letters."},
	{"upper", "text", "The text in capital letters."},
	{"trimspace", "text", "The text without white space at its start and end."},
	{"replace", "text, part, by", "The text with every occurrence of a part replaced. The part is a plain text, not a regular expression."},
	{"regexescape", "text", "A regular expression that matches exactly the text."},
	{"contains", "list, value", "Whether the list has the value."},
	{"concat", "list…", "The lists as one list."},
	{"merge", "map…", "The maps as one map; of several values for a key the last one counts."},
	{"length", "collection", "The number of elements of a list or map."},
	{"keys", "map", "The keys of the map, sorted."},
	{"values", "map", "The values of the map, in the order of its sorted keys."},
	{"coalesce", "value…", "The first value that is not `null`."},
	{"tostring", "value", "The number, bool or text as a text."},
	{"tonumber", "value", "The number, or the text that is one, as a number."},
	{"tolist", "value", "The value as a list whose elements have one type."},
}
