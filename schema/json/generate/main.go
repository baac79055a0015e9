// Generate writes the JSON Schemas of the records into the working directory,
// which must be schema/json. It is run by `make generate`.
//
// It is a program, so that nothing can import it: the library that derives
// schemas must not end up in what we ship.
package main

import (
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatalf("schema/json/generate: %v", err)
	}
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
