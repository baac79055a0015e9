// Generate writes what is made of the table of the manifest language: its
// reference, docs/manifest-reference.md, and the JSON Schema of its JSON form,
// schema/json/manifest.schema.json. It needs schema/language as the working
// directory, and is run by `make generate`.
package main

import (
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatalf("schema/language/generate: %v", err)
	}
}

// A file is generated; its name is relative to schema/language.
type file struct {
	name string
	data []byte
}

func run() error {
	files, err := generate()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(f.name, f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func generate() ([]file, error) {
	page, err := reference()
	if err != nil {
		return nil, err
	}
	schema, err := jsonSchema()
	if err != nil {
		return nil, err
	}
	return []file{
		{"../../docs/manifest-reference.md", page},
		{"../json/manifest.schema.json", schema},
	}, nil
}
