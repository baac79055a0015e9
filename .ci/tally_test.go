package main

import (
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	const events = `make: hello
{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestOK"}
{"Action":"output","Package":"a","Test":"TestOK","Output":"=== RUN   TestOK\n"}
{"Action":"output","Package":"a","Test":"TestOK","Output":"chatter\n"}
{"Action":"pass","Package":"a","Test":"TestOK"}
{"Action":"output","Package":"a","Test":"TestBad","Output":"bad.go:1: why\n"}
{"Action":"fail","Package":"a","Test":"TestBad"}
{"Action":"output","Package":"a","Test":"TestNot","Output":"no docker\n"}
{"Action":"skip","Package":"a","Test":"TestNot"}
{"Action":"output","Package":"a","Output":"FAIL\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t0.1s\n"}
{"Action":"fail","Package":"a"}
{"Action":"output","Package":"b","Test":"TestHangs","Output":"panic: stuck\n"}
{"Action":"fail","Package":"b"}
{"ImportPath":"c","Action":"build-output","Output":"c.go:1: undefined\n"}
{"ImportPath":"c","Action":"build-fail"}
{"Action":"fail","Package":"c","FailedBuild":"c"}
{"Action":"output","Package":"d","Output":"ok  \td\t0.1s\n"}
{"Action":"pass","Package":"d"}
{"Action":"skip","Package":"e"}
{"not":"an event"}
no end of line`
	const shown = `make: hello
bad.go:1: why
no docker
FAIL	a	0.1s
panic: stuck
c.go:1: undefined
ok  	d	0.1s
{"not":"an event"}
no end of line
`

	var out strings.Builder
	tally := newTally(&out)
	if err := tally.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if out.String() != shown {
		t.Errorf("shown:\n%s", out.String())
	}
	if got, want := tally.String(), "1 passed, 3 failed, 1 skipped"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCommandThatFails(t *testing.T) {
	tally := newTally(&strings.Builder{})
	if err := tally.run("sh", "-c", "exit 3"); err == nil {
		t.Error("no error")
	}
}
