package language

// String says in plain words what an attribute of the kind holds, without an
// article. It is Markdown.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return "unknown kind"
	}
	return kinds[k]
}

var kinds = [...]string{
	String:     "string",
	Bool:       "`true` or `false`",
	Int:        "whole number",
	CPUs:       "number of processors",
	Duration:   "duration",
	Size:       "size",
	Choice:     "word",
	Choices:    "list of words",
	Regexes:    "list of regular expressions",
	Names:      "list of variable names",
	Environ:    "map of strings",
	Argv:       "command",
	Reference:  "reference",
	References: "list of references",
	Type:       "type",
	Any:        "any value",
	Condition:  "condition",
}
