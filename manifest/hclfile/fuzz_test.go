package hclfile_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// FuzzLoad loads any text, in both forms and as a var file: nothing panics,
// every place lies in its file, and formatting changes neither a value nor, the
// second time, the text.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(everything), false)
	f.Add([]byte(everythingJSON), true)
	for _, c := range faults {
		f.Add([]byte(c.text), false)
	}
	f.Add([]byte(head+"locals {\n  a = \"%{for x in [1, 2]}${x}%{if true}y%{else}z%{endif}%{endfor}\"\n  b = [local.a][*]\n  c = {for k, v in {a = 1} : k => v...}\n}\n"), false)
	f.Fuzz(func(t *testing.T, text []byte, isJSON bool) {
		source := hclfile.Source{Name: "m", Bytes: text, JSON: isJSON}
		in := hclfile.Inputs{VarFiles: []hclfile.Source{{Name: "m", Bytes: text, JSON: isJSON}}, Environ: []string{"AI_SESSION_HANDLER_VAR_a=" + string(text)}, Vars: []string{string(text)}}
		hclfile.Load([]hclfile.Source{source}, in)
		doc, problems := hclfile.Load([]hclfile.Source{source}, hclfile.Inputs{})
		for _, p := range problems {
			inside(t, text, p.Range)
			for _, r := range p.Related {
				inside(t, text, r.Range)
			}
		}
		for _, b := range doc.Blocks {
			inside(t, text, b.Range)
		}
		if isJSON || len(hclfile.Check(source)) > 0 {
			return
		}
		formatted := hclfile.Format(text)
		if again := hclfile.Format(formatted); !bytes.Equal(formatted, again) {
			t.Errorf("formatting twice: %s", cmp.Diff(string(formatted), string(again)))
		}
		after, changed := hclfile.Load([]hclfile.Source{{Name: "m", Bytes: formatted}}, hclfile.Inputs{})
		if diff := cmp.Diff(values(doc), values(after)); diff != "" || len(problems) != len(changed) {
			t.Errorf("formatting changes the manifest from %d to %d problems: %s", len(problems), len(changed), diff)
		}
	})
}

func inside(t *testing.T, text []byte, r problem.Range) {
	t.Helper()
	if r.File != "m" && r.File != "" {
		t.Errorf("%q is no file", r.File)
	}
	if r.Start.Byte < 0 || r.Start.Byte > r.End.Byte || r.End.Byte > len(text) {
		t.Errorf("%+v is not in a file of %d bytes", r, len(text))
	}
	if r.Start.Line < 0 || r.Start.Line > r.End.Line || r.End.Line > bytes.Count(text, []byte{'\n'})+1 {
		t.Errorf("%+v has no such line", r)
	}
}
