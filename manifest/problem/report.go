package problem

// Format is that of a Report.
const Format = "ai-session-handler/validate/1"

// Report is a list as it is printed in JSON (docs/json-output.md).
type Report struct {
	Format   string    `json:"format"`
	Valid    bool      `json:"valid"` // no problem is more than a warning
	Problems []Problem `json:"problems"`
	More     int       `json:"more"` // how many problems there are besides
}

// Report returns the list for JSON, up to Max problems of it. Every list in it
// is one, perhaps empty, and never null.
func (l List) Report() Report {
	shown, more := l.shown()
	problems := make([]Problem, len(shown))
	for i, p := range shown {
		if p.Related == nil {
			p.Related = []Related{}
		}
		problems[i] = p
	}
	return Report{Format: Format, Valid: !l.HasErrors(), Problems: problems, More: more}
}
