package main

import (
	"bytes"
	"encoding/json"

	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// object is an object of JSON; its keys are written in order.
type object = map[string]any

// jsonSchema returns schema/json/manifest.schema.json (draft 2020-12). It accepts
// what the JSON form of a manifest may look like; what refers to what, and what
// an expression gives, it can't know.
func jsonSchema() ([]byte, error) {
	defs := object{
		"template": object{
			"type": "string", "pattern": `\$\{|%\{`,
			"description": "A string with an expression in it.",
		},
	}
	for _, p := range places() {
		defs[p.block.Name] = body(p.block)
	}
	schema := body(language.Manifest())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["$id"] = "urn:ai-session-handler:manifest:1"
	schema["$defs"] = defs
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(schema)
	return out.Bytes(), err
}

// comment is the key that HCL leaves out of every body.
const comment = "//"

// body returns the schema of what a block holds.
func body(b *language.Block) object {
	if b.Free != nil {
		value := value(*b.Free)
		value["description"] = b.Free.Doc
		return object{
			"type": "object", "description": b.Doc,
			"properties":           object{comment: true},
			"propertyNames":        object{"pattern": "^" + comment + "$|" + language.NamePattern},
			"additionalProperties": value,
		}
	}
	properties, required := object{comment: true}, []string{}
	for _, a := range b.Attrs {
		property := value(a)
		property["description"] = a.Doc
		properties[a.Name] = property
		if a.Required {
			required = append(required, a.Name)
		}
	}
	for _, child := range b.Blocks {
		properties[child.Name] = block(child)
	}
	return object{
		"type": "object", "description": b.Doc,
		"properties": properties, "required": required, "additionalProperties": false,
	}
}

// block returns the schema of the value of a key that is a type of block.
func block(b *language.Block) object {
	content := object{"$ref": "#/$defs/" + b.Name}
	if b.Label == "" {
		return oneOrMany(content)
	}
	return oneOrMany(object{
		"type":                 "object",
		"minProperties":        1,
		"propertyNames":        object{"pattern": b.LabelPattern()},
		"additionalProperties": oneOrMany(content),
	})
}

func oneOrMany(schema object) object {
	return object{"anyOf": []any{schema, object{"type": "array", "items": schema}}}
}

// value returns the schema of an attribute: of its value, or of a template that
// will give it.
func value(a language.Attr) object {
	switch a.Kind {
	case language.Any:
		return object{"not": object{"type": "null"}}
	case language.Type:
		return object{"enum": []string{"string", "number", "bool", "list(string)", "map(string)"}}
	case language.Condition:
		return object{"anyOf": []any{isTemplate, object{"type": "boolean"}}}
	case language.String:
		return object{"type": "string"}
	case language.Reference:
		return traversal(a)
	case language.References:
		return object{"type": "array", "items": traversal(a)}
	}
	choices := append(literals(a), isTemplate)
	if a.Off {
		choices = append(choices, object{"const": "none"})
	}
	return object{"anyOf": choices}
}

var isTemplate = object{"$ref": "#/$defs/template"}

// traversal returns the schema of a reference, which is a plain string.
func traversal(a language.Attr) object {
	return object{"type": "string", "pattern": "^" + a.Refers + `\.[a-z][a-z0-9_-]{0,63}$`}
}

// literals returns the schemas of what an attribute may be without expressions.
func literals(a language.Attr) []any {
	switch a.Kind {
	case language.Bool:
		return []any{object{"type": "boolean"}}
	case language.Int:
		return []any{object{"type": "integer", "minimum": a.Min, "maximum": a.Max}}
	case language.CPUs:
		return []any{object{"type": "number", "minimum": 0.01, "maximum": 1024}}
	case language.Duration:
		return []any{object{"type": "string", "pattern": `^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`}}
	case language.Size:
		return []any{
			object{"type": "string", "pattern": `^[0-9]+(\.[0-9]+)? *([kKMGTPE]i?)?[bB]?$`},
			object{"type": "integer", "minimum": 1},
		}
	case language.Choice:
		return []any{object{"enum": a.Choices}}
	case language.Choices:
		return []any{object{"type": "array", "uniqueItems": true, "items": object{"anyOf": []any{object{"enum": a.Choices}, isTemplate}}}}
	case language.Regexes:
		return []any{list(nonEmpty)}
	case language.Names:
		return []any{list(object{"type": "string", "pattern": `^[^=\x00]+$`})}
	case language.Environ:
		return []any{object{"type": "object", "propertyNames": object{"pattern": `^[^=\x00]+$`}, "additionalProperties": object{"type": "string"}}}
	case language.Argv:
		return []any{nonEmpty, object{"type": "array", "minItems": 1, "items": object{"type": "string"}}}
	}
	panic("no schema for the kind " + a.Kind.String())
}

var nonEmpty = object{"type": "string", "minLength": 1}

func list(items object) object { return object{"type": "array", "items": items} }
