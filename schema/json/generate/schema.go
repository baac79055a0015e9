package main

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// records are the records with a schema, each with its format word, which also
// gives the file its name and the schema its id.
var records = []struct {
	value  any
	format string
}{
	{record.State{}, record.StateFormat},
	{record.Outcome{}, record.OutcomeFormat},
	{record.Exit{}, record.ExitFormat},
	{record.Event{}, record.EventFormat},
}

type file struct {
	name string
	data []byte
}

// generate returns the schema files. It reads the source of schema/record, and
// so needs schema/json as the working directory.
func generate() ([]file, error) {
	src, err := readSource()
	if err != nil {
		return nil, err
	}
	var files []file
	for _, r := range records {
		s, err := src.schema(reflect.TypeOf(r.value))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.format, err)
		}
		// The id is a URN: the schema is found beside the records' types, not at a host.
		s.ID = jsonschema.ID("urn:" + strings.ReplaceAll(r.format, "/", ":"))
		data, err := encode(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.format, err)
		}
		files = append(files, file{path.Base(path.Dir(r.format)) + ".schema.json", data})
	}
	return files, nil
}

// schema returns the schema of the record type t.
func (src source) schema(t reflect.Type) (*jsonschema.Schema, error) {
	var enums, structs []reflect.Type
	r := jsonschema.Reflector{
		Anonymous:      true,
		ExpandedStruct: true,
		CommentMap:     src.comments,
		Mapper:         unsigned,
		Lookup: func(t reflect.Type) jsonschema.ID {
			if !isEnum(t) {
				return jsonschema.EmptyID
			}
			enums = append(enums, t)
			return jsonschema.ID("#/$defs/" + t.Name())
		},
		// The hook adds no field. It is called for every struct, which is what we need.
		AdditionalFields: func(t reflect.Type) []reflect.StructField {
			structs = append(structs, t)
			return nil
		},
	}
	s := r.ReflectFromType(t)
	if err := src.define(s.Definitions, enums); err != nil {
		return nil, err
	}
	for _, one := range structs {
		if one == t {
			allowNull(s, one)
		} else {
			allowNull(s.Definitions[one.Name()], one)
		}
	}
	return s, nil
}

// unsigned gives unsigned integers the bound that the library leaves out.
func unsigned(t reflect.Type) *jsonschema.Schema {
	if t.Kind() != reflect.Uint64 {
		return nil
	}
	return &jsonschema.Schema{Type: "integer", Minimum: "0"}
}

// isEnum reports whether t is a string type of ours; all of those are enums.
func isEnum(t reflect.Type) bool {
	return t.Kind() == reflect.String && t.PkgPath() != ""
}

// define adds the definitions of enums, which the library would repeat at every
// field and without their words.
func (src source) define(defs jsonschema.Definitions, enums []reflect.Type) error {
	for _, t := range enums {
		words := src.words[t.Name()]
		if len(words) == 0 {
			return fmt.Errorf("type %s has no constants", t)
		}
		defs[t.Name()] = &jsonschema.Schema{
			Type:        "string",
			Enum:        words,
			Description: src.comments[t.PkgPath()+"."+t.Name()],
		}
	}
	return nil
}

// allowNull lets the pointer fields of t, whose schema s is, be null, as
// record.Decode does for pointers and for nothing else.
func allowNull(s *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		value, _ := s.Properties.Get(key)
		description := value.Description
		value.Description = ""
		s.Properties.Set(key, &jsonschema.Schema{
			AnyOf:       []*jsonschema.Schema{value, {Type: "null"}},
			Description: description,
		})
	}
}

// unescape undoes the escapes for HTML, which the library's own marshalling
// doesn't let us turn off. The first pair keeps it off escaped backslashes.
var unescape = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func encode(s *jsonschema.Schema) ([]byte, error) {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	return []byte(unescape.Replace(string(data)) + "\n"), nil
}
