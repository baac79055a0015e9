// Package termtest is for tests only: a terminal in memory, to see what a person
// would see of what a program writes.
//
// It knows text of any width, wrapping, scrolling, colours, erasing, and windows
// whose size changes, with and without wrapping anew what stands there. Any
// sequence that it does not know is an error, so that a program under test uses
// no other.
package termtest
