// Package schemas is the folder of the JSON Schemas (draft 2020-12) of the
// records of the handler, for readers that are not written in Go:
//
//	state.schema.json    the state of a plan
//	outcome.schema.json  the outcome of an attempt
//	exit.schema.json     how a worker ended when the handler was gone
//	event.schema.json    one event of an invocation
//
// They are generated from the types and comments of schema/record; change those
// and run `make generate`. The package has no code, and no program of ours reads
// the schemas: records are read by record.Decode.
//
// Beside them lies manifest.schema.json, of the JSON form of a manifest. It is
// generated from schema/language.
//
// The schema of a record accepts what record.Decode accepts, with these
// differences. It is stricter about words: it knows every status and kind, and
// the one format. It can't say that a key must not appear twice, that a whole
// number must not be written as 1.0, and it leaves out that numbers fit into 64
// bits.
package schemas

//go:generate go run ./generate
