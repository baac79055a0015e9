// Command trivial does nothing: it is what starting any Go program costs.
package main

func main() {}
