package record

import (
	"strings"
	"testing"
	"time"
)

type inner struct {
	ID   string  `json:"id"`
	Note *string `json:"note"`
}

type outer struct {
	Name  string            `json:"name"`
	Count int               `json:"count"`
	Ticks uint64            `json:"ticks"`
	On    bool              `json:"on"`
	At    time.Time         `json:"at"`
	Inner *inner            `json:"inner"`
	List  []inner           `json:"list"`
	Words *[]string         `json:"words"`
	Texts map[string]string `json:"texts"`
	Parts map[string]inner  `json:"parts"`
	Extra float64           `json:"extra,omitempty"`
}

const good = `{"name":"n","count":1,"ticks":2,"on":true,"at":"2026-11-30T20:13:05Z","inner":null,"list":[{"id":"a","note":null}],"words":["w"],"texts":{"A":"1","list":""},"parts":{"p-1":{"id":"b","note":""}}}`

func TestDecodeAcceptsACompleteRecord(t *testing.T) {
	var v outer
	if err := Decode([]byte(good), &v); err != nil {
		t.Fatal(err)
	}
	if v.Name != "n" || v.List[0].ID != "a" || v.Inner != nil || (*v.Words)[0] != "w" || v.Texts["A"] != "1" || v.Parts["p-1"].ID != "b" {
		t.Fatalf("decoded %+v", v)
	}
}

func TestDecodeNamesEveryFault(t *testing.T) {
	for _, test := range []struct{ name, from, to, want string }{
		{"unknown key", `"count":1`, `"count":1,"cuont":1`, `cuont: unknown key (did you mean "count"?)`},
		{"unknown key far from any", `"count":1`, `"count":1,"zzzzzz":1`, `zzzzzz: unknown key (known: name, count,`},
		{"missing key", `"count":1,`, ``, `count: missing required key`},
		{"duplicate key", `"count":1`, `"count":1,"count":1`, `count: appears twice`},
		{"another letter case", `"count":1`, `"Count":1`, `Count: unknown key`},
		{"wrong type", `"count":1`, `"count":"1"`, `count: expected a whole number, got the string "1"`},
		{"a float for an int", `"count":1`, `"count":1.5`, `count: expected a whole number, got the number 1.5`},
		{"negative for unsigned", `"ticks":2`, `"ticks":-2`, `ticks: expected a whole number from 0`},
		{"null for a value", `"on":true`, `"on":null`, `on: expected true or false, got null`},
		{"null for a list", `"list":[{"id":"a","note":null}]`, `"list":null`, `list: expected a list, got null`},
		{"in a list", `"note":null`, `"note":3`, `list[0].note: expected a string, got the number 3`},
		{"bad time", `2026-11-30T20:13:05Z`, `yesterday`, `at: expected a time`},
		{"object for a string", `"name":"n"`, `"name":{}`, `name: expected a string, got an object`},
		{"syntax", `"on":true`, `"on":truu`, `invalid JSON at line 1, column`},
		{"not a list behind a pointer", `["w"]`, `{}`, `words: expected a list, got an object`},
		{"null in a list behind a pointer", `["w"]`, `[null]`, `words[0]: expected a string, got null`},
		{"null for a map", `{"A":"1","list":""}`, `null`, `texts: expected an object, got null`},
		{"list for a map", `{"A":"1","list":""}`, `[]`, `texts: expected an object, got a list`},
		{"wrong type in a map", `"A":"1"`, `"A":1`, `texts.A: expected a string, got the number 1`},
		{"null in a map", `"A":"1"`, `"A":null`, `texts.A: expected a string, got null`},
		{"duplicate key of a map", `"A":"1"`, `"A":"1","A":"2"`, `texts.A: appears twice`},
		{"in a map of objects", `"note":""`, `"nite":""`, `parts.p-1.nite: unknown key (did you mean "note"?)`},
		{"null for an object of a map", `{"id":"b","note":""}`, `null`, `parts.p-1: expected an object, got null`},
		{"cut off", `""}}}`, ``, `it ends too early`},
		{"text behind", `""}}}`, `""}}} x`, `text after the JSON object`},
		{"not UTF-8", `"n"`, "\"\xff\"", `not valid UTF-8`},
		{"not an object", good, `[]`, `expected an object, got a list`},
		{"deep", good, strings.Repeat("[", 100) + strings.Repeat("]", 100), `nested deeper than`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var v outer
			err := Decode([]byte(strings.Replace(good, test.from, test.to, 1)), &v)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestDecodeLetsAPointerToAListBeNull(t *testing.T) {
	var v outer
	if err := Decode([]byte(strings.Replace(good, `["w"]`, `null`, 1)), &v); err != nil || v.Words != nil {
		t.Errorf("%v, %v", v.Words, err)
	}
}

func TestDecodeReportsAllFaultsAtOnce(t *testing.T) {
	var v outer
	err := Decode([]byte(`{"name":1,"nmae":2}`), &v)
	for _, want := range []string{"nmae: unknown", "name: expected a string", "count: missing", "list: missing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestDecodeSaysWhereTheSyntaxBreaks(t *testing.T) {
	for text, want := range map[string]string{
		`{"on": NaN}`:            `line 1, column 8: invalid character 'N'`,
		"{\n  \"on\": true,\n}":  `line 3, column 1: invalid character '}'`,
		"{\n  \"on\": true\n} x": `line 3, column 3: text after the JSON object`,
		"{\n  \"on\": [\n":       `line 3, column 1: it ends too early`,
		"\ufeff{}":               `starts with a byte order mark`,
	} {
		var v outer
		if err := Decode([]byte(text), &v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
