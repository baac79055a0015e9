package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ai-session-handler/ai-session-handler/schema/suggest"
)

// maxDepth bounds the nesting of a record; ours nest seven deep.
const maxDepth = 64

// DecodeError lists every key of a record that is not as it must be.
type DecodeError struct {
	Problems []KeyProblem
}

// KeyProblem is one fault of a record. Key is the dotted path of the key, empty
// for the record as a whole.
type KeyProblem struct {
	Key     string
	Message string
}

func (e *DecodeError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

func (p KeyProblem) String() string {
	if p.Key == "" {
		return p.Message
	}
	return p.Key + ": " + p.Message
}

// Decode reads one JSON object into v, a pointer to a struct, and refuses what
// encoding/json lets pass: unknown, missing, duplicate and null keys, a key in
// another letter case, and anything behind the object. A key is required
// unless its field has omitempty; null is for pointers only. The keys of a map
// are free, but none may be there twice. The error is a *DecodeError with all
// problems in order of their keys.
func Decode(data []byte, v any) error {
	tree, err := parse(data)
	if err != nil {
		return &DecodeError{[]KeyProblem{{Message: err.Error()}}}
	}
	var c checker
	c.value("", tree, reflect.TypeOf(v).Elem())
	if len(c.problems) > 0 {
		return &DecodeError{c.problems}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &DecodeError{[]KeyProblem{{Message: err.Error()}}}
	}
	return nil
}

// object keeps the order and the repetitions that a Go map would lose.
type object struct {
	keys   []string
	values map[string]any
	twice  []string
}

const byteOrderMark = "\ufeff"

func parse(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("not valid UTF-8")
	}
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		return nil, errors.New("starts with a byte order mark, which JSON must not; save it without one")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := parseValue(dec, 0)
	if err != nil {
		return nil, syntaxError(data, dec, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: text after the JSON object", position(data, faultOffset(data, dec.InputOffset())))
	}
	return v, nil
}

func syntaxError(data []byte, dec *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("invalid JSON at %s: it ends too early", position(data, int64(len(data))))
	}
	return fmt.Errorf("invalid JSON at %s: %w", position(data, faultOffset(data, dec.InputOffset())), err)
}

// faultOffset is where the first byte stands that makes data no JSON. Only
// reading all at once tells it; a decoder knows no more than near.
func faultOffset(data []byte, near int64) int64 {
	var whole any
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(data, &whole), &syntax) && syntax.Offset > 0 {
		return syntax.Offset - 1
	}
	return near
}

func position(data []byte, offset int64) string {
	before := data[:min(offset, int64(len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("line %d, column %d", line, len(before)-bytes.LastIndexByte(before, '\n'))
}

func parseValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		return parseObject(dec, depth)
	case json.Delim('['):
		return parseArray(dec, depth)
	}
	return tok, nil
}

func parseObject(dec *json.Decoder, depth int) (any, error) {
	obj := &object{values: map[string]any{}}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		value, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		if _, seen := obj.values[name]; seen {
			obj.twice = append(obj.twice, name)
		}
		obj.keys = append(obj.keys, name)
		obj.values[name] = value
	}
	_, err := dec.Token()
	return obj, err
}

func parseArray(dec *json.Decoder, depth int) (any, error) {
	list := []any{}
	for dec.More() {
		value, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := dec.Token()
	return list, err
}

// checker compares a parsed value with the Go type it is meant for.
type checker struct {
	problems []KeyProblem
}

func (c *checker) report(key, format string, args ...any) {
	c.problems = append(c.problems, KeyProblem{key, fmt.Sprintf(format, args...)})
}

var (
	timeType = reflect.TypeOf(time.Time{})
	rawType  = reflect.TypeOf(json.RawMessage{})
)

func (c *checker) value(key string, v any, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		if v != nil {
			c.value(key, v, t.Elem())
		}
		return
	}
	switch {
	case t == rawType:
	case t == timeType:
		c.time(key, v)
	case t.Kind() == reflect.Struct:
		c.object(key, v, t)
	case t.Kind() == reflect.Slice:
		c.list(key, v, t.Elem())
	case t.Kind() == reflect.Map:
		c.entries(key, v, t.Elem())
	default:
		c.scalar(key, v, t)
	}
}

func (c *checker) time(key string, v any) {
	s, ok := v.(string)
	if !ok {
		c.report(key, "expected a time, got %s", kindOf(v))
		return
	}
	if _, err := time.Parse(time.RFC3339Nano, s); err != nil {
		c.report(key, "expected a time as 2026-11-30T20:13:05Z, got %q", s)
	}
}

func (c *checker) list(key string, v any, elem reflect.Type) {
	list, ok := v.([]any)
	if !ok {
		c.report(key, "expected a list, got %s", kindOf(v))
		return
	}
	for i, item := range list {
		c.value(key+"["+strconv.Itoa(i)+"]", item, elem)
	}
}

// entries checks an object whose keys are no vocabulary of ours.
func (c *checker) entries(key string, v any, elem reflect.Type) {
	obj, ok := v.(*object)
	if !ok {
		c.report(key, "expected an object, got %s", kindOf(v))
		return
	}
	for _, name := range obj.twice {
		c.report(join(key, name), "appears twice")
	}
	for _, name := range obj.keys {
		c.value(join(key, name), obj.values[name], elem)
	}
}

func (c *checker) scalar(key string, v any, t reflect.Type) {
	ok := false
	switch value := v.(type) {
	case string:
		ok = t.Kind() == reflect.String
	case bool:
		ok = t.Kind() == reflect.Bool
	case json.Number:
		ok = numberFits(value, t)
	}
	if !ok {
		c.report(key, "expected %s, got %s", scalarKind(t), kindOf(v))
	}
}

func scalarKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Uint64:
		return "a whole number from 0"
	default:
		return "a whole number"
	}
}

func numberFits(n json.Number, t reflect.Type) bool {
	var err error
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		_, err = strconv.ParseInt(n.String(), 10, 64)
	case reflect.Uint64:
		_, err = strconv.ParseUint(n.String(), 10, 64)
	case reflect.Float64:
		_, err = n.Float64()
	default:
		return false
	}
	return err == nil
}

func (c *checker) object(key string, v any, t reflect.Type) {
	obj, ok := v.(*object)
	if !ok {
		c.report(key, "expected an object, got %s", kindOf(v))
		return
	}
	fields := fieldsOf(t)
	for _, name := range obj.twice {
		c.report(join(key, name), "appears twice")
	}
	for _, name := range obj.keys {
		if _, known := fields[name]; !known {
			c.report(join(key, name), "unknown key%s", suggestion(name, fields))
		}
	}
	for _, name := range sortedNames(fields) {
		f := fields[name]
		value, present := obj.values[name]
		switch {
		case present:
			c.value(join(key, name), value, f.typ)
		case f.required:
			c.report(join(key, name), "missing required key")
		}
	}
}

type field struct {
	typ      reflect.Type
	required bool
	order    int
}

func fieldsOf(t reflect.Type) map[string]field {
	fields := map[string]field{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = field{t.Field(i).Type, options != "omitempty", i}
	}
	return fields
}

func sortedNames(fields map[string]field) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return fields[names[i]].order < fields[names[j]].order })
	return names
}

// suggestion names the known key nearest to a misspelled one, and the known
// keys otherwise.
func suggestion(name string, fields map[string]field) string {
	names := sortedNames(fields)
	if best, ok := suggest.Closest(name, names); ok {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return fmt.Sprintf(" (known: %s)", strings.Join(names, ", "))
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

func kindOf(v any) string {
	switch value := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(value)
	case string:
		return fmt.Sprintf("the string %.60q", value)
	case json.Number:
		return "the number " + value.String()
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
