// Package engine is the root of everything between a binding and durable
// state. It holds no code; docs/architecture.md walks its packages bottom-up.
package engine
