package hclfile

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// loader is one reading of a manifest.
type loader struct {
	in       Inputs
	doc      *Document
	problems problem.List
	places   places
	texts    map[string][]byte // of files in the JSON form
	values   map[string]bool   // the names of var files, whose text is not shown
	blocks   int
	budget   budget
	compared int // letters, to find what was meant
	vars     map[string]*value
	locals   map[string]*value
	varNames []string // in their order
	locNames []string
}

func newLoader(in Inputs) *loader {
	return &loader{
		in:     in,
		doc:    &Document{lost: map[string]bool{}},
		places: places{length: map[string]int{}},
		texts:  map[string][]byte{},
		values: map[string]bool{},
		vars:   map[string]*value{},
		locals: map[string]*value{},
	}
}

func (l *loader) report(p problem.Problem) { l.problems = append(l.problems, p) }

// Load reads the files of a manifest, which are one manifest together. All
// problems are returned at once, but what follows from one that is reported is
// not reported again; the document has what is intact. The order of the problems
// is the same for the same files and inputs, and has no meaning.
func Load(files []Source, in Inputs) (*Document, problem.List) {
	l := newLoader(in)
	l.doc.Sources = files
	bodies := l.parseAll(files)
	if !l.version(bodies, files) {
		l.doc.broken = true
		return l.doc, l.problems
	}
	root := &Block{Schema: language.Manifest()}
	l.decode(root, bodies)
	l.doc.Blocks = root.Blocks
	l.declare()
	l.giveValues()
	l.evaluateLocals()
	l.evaluate(root)
	l.unused()
	return l.doc, l.problems
}

// parseAll returns the bodies of the files that can be read.
func (l *loader) parseAll(files []Source) (bodies []hcl.Body) {
	if !l.checkAmount(files) {
		return nil
	}
	for _, f := range files {
		if f.JSON {
			l.texts[f.Name] = f.Bytes
		}
		body, ok := l.parse(f)
		if !ok {
			l.doc.broken = true
			continue
		}
		bodies = append(bodies, body)
	}
	return bodies
}

func (l *loader) checkAmount(files []Source) bool {
	size := 0
	for _, f := range files {
		size += len(f.Bytes)
	}
	switch {
	case len(files) > maxFiles:
		l.report(problem.New("E007", problem.Range{File: files[maxFiles].Name}, "Join some of them.", "the manifest has %d files, more than %d", len(files), maxFiles))
	case size > maxAll:
		l.report(problem.New("E001", problem.Range{File: files[0].Name}, "Divide the plans among several manifests.", "the files of the manifest have %d bytes together, which is more than 8 MiB", size))
	default:
		return true
	}
	l.doc.broken = true
	return false
}
