package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMedianAndSpread(t *testing.T) {
	for _, test := range []struct {
		s    sample
		want time.Duration
	}{{sample{3}, 3}, {sample{9, 1, 5}, 5}, {sample{4, 2, 8, 6}, 4}} {
		before := slices.Clone(test.s)
		if got := test.s.median(); got != test.want || !slices.Equal(test.s, before) {
			t.Errorf("%v: %d, want %d; it is %v now", before, got, test.want, test.s)
		}
	}
	if got := (sample{2e6, 1e6, 250e6}).spread(); got != "1.0–250" {
		t.Error(got)
	}
}

func TestARatioIsOfTheSameRound(t *testing.T) {
	// The machine was three times as slow in the second round, for both.
	ratios := sample{100, 300, 120}.over(sample{50, 150, 60})
	if !slices.Equal(ratios, []float64{2, 2, 2}) {
		t.Error(ratios)
	}
}

func TestSlopeLeavesOutWhatWasDisturbed(t *testing.T) {
	var s sample
	for i := range 1000 {
		s = append(s, time.Duration(5000+7*i))
	}
	for i := range s {
		if i%50 != 25 {
			s[i] += time.Hour
		}
	}
	if got := slope(s, 50); got != 7 {
		t.Errorf("%d, want 7", got)
	}
	if got := slope(s[:50], 50); got != 0 {
		t.Errorf("one point has the slope %d", got)
	}
}

// TestInterleaveGivesEachCommandEachPlace finds out whether a command can be
// the first one, or the last one, each time.
func TestInterleaveGivesEachCommandEachPlace(t *testing.T) {
	var order []string
	command := func(name string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			order = append(order, name)
			return time.Duration(len(order)), nil
		}
	}
	samples, err := interleave(3, command("a"), command("b"), command("c"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ""); got != "abc"+"bca"+"cab"+"abc" {
		t.Error(got)
	}
	if got := fmt.Sprint(samples); got != "[[6ns 8ns 10ns] [4ns 9ns 11ns] [5ns 7ns 12ns]]" {
		t.Error(got)
	}
}

func TestPeriodsLeaveOutTheTimeBetweenTwoRuns(t *testing.T) {
	clock := filepath.Join(t.TempDir(), "clock")
	var text strings.Builder
	at := 0
	for i := range phases {
		if at += 10; i%chunk == 0 {
			at += 1_000_000
		}
		fmt.Fprintln(&text, at)
	}
	if err := os.WriteFile(clock, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	took, err := periods(clock)
	if err != nil || took.min() != 10 || took.max() != 10 {
		t.Errorf("%v–%v, %v", took.min(), took.max(), err)
	}
	if err := os.WriteFile(clock, []byte("1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := periods(clock); err == nil {
		t.Error("a run that ended early is not noticed")
	}
}

func TestSearchLinesTellLinearFromQuadratic(t *testing.T) {
	sizes := []int64{1, 16, 64, 256}
	verdicts := func(cost func(mb int64) time.Duration) string {
		var samples []sample
		for _, size := range sizes {
			samples = append(samples, sample{10*time.Millisecond + cost(size)})
		}
		lines := searchLines("x", sizes, samples)
		return string(lines[0].verdict + " " + lines[1].verdict)
	}
	if got := verdicts(func(mb int64) time.Duration { return time.Duration(mb) * 5 * time.Millisecond }); got != "met met" {
		t.Error("linear, 200 MB/s:", got)
	}
	if got := verdicts(func(mb int64) time.Duration { return time.Duration(mb*mb) * 62 * time.Microsecond }); got != "met MISSED" {
		t.Error("quadratic:", got)
	}
	if got := verdicts(func(mb int64) time.Duration { return time.Duration(mb) * 25 * time.Millisecond }); got != "MISSED met" {
		t.Error("linear, 40 MB/s:", got)
	}
}

func TestChooseRefusesARowThatDoesNotExist(t *testing.T) {
	if all, err := choose(""); err != nil || len(all) != len(rows()) {
		t.Errorf("%d rows, %v", len(all), err)
	}
	if two, err := choose("memory,start"); err != nil || len(two) != 2 || two[0].name != "memory" {
		t.Errorf("%v, %v", two, err)
	}
	if _, err := choose("starts"); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("got %v", err)
	}
}

func TestATableHasItsVerdicts(t *testing.T) {
	table := newTable()
	table.add(line{what: "a", verdict: judge(true, true)}, line{what: "b", verdict: judge(false, true)}, line{what: "c", verdict: judge(false, false)}, line{what: "d"})
	lines := strings.Split(table.String(), "\n")
	for i, want := range []string{"target", "met", "in doubt", "MISSED", "d"} {
		if !strings.HasSuffix(strings.TrimRight(lines[i], " "), want) {
			t.Errorf("line %d is %q, want %s at its end", i, lines[i], want)
		}
	}
}
