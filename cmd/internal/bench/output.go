package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const (
	megabyte    = 1_000_000
	outputSize  = 1000 * megabyte
	quietTarget = 0.60 // of the rate of cat
	liveTarget  = 0.40
	rateTarget  = 50.0 // MB/s with something to look for
	bendLimit   = 2.0  // how much dearer a byte may become; it doubles with the volume where that counts twice
)

// measureTranscript measures keeping 1 GB of output next to cat, which only
// keeps it, and next to cat and a sync, since a transcript is synced.
func measureTranscript(l *lab) ([]line, error) {
	args := fmt.Sprint("-lines ", outputSize)
	samples, err := interleave(l.runs, l.cat(false), l.cat(true), l.runOnce(args, "-q"), l.runOnce(args))
	if err != nil {
		return nil, err
	}
	cat, synced, quiet, live := samples[0], samples[1], samples[2], samples[3]
	return []line{
		rateOf("1 GB of output, --quiet", quiet, cat, "cat > file", quietTarget),
		rateOf("1 GB of output, live to /dev/null", live, cat, "cat > file", liveTarget),
		rateOf("1 GB of output, --quiet, durable", quiet, synced, "cat > file and a sync", 0),
	}, nil
}

// cat makes a function that measures writing the same output to a file through
// a pipe.
func (l *lab) cat(sync bool) func() (time.Duration, error) {
	file := filepath.Join(l.dir, "cat")
	command := fmt.Sprintf("%s -lines %d | cat > %s", l.agent, outputSize, file)
	return func() (time.Duration, error) {
		took, err := timed(func() error {
			err := exec.Command("sh", "-c", command).Run()
			if err == nil && sync {
				err = makeFile(file, 0)
			}
			return err
		})
		return took, errors.Join(err, os.Remove(file))
	}
}

// rateOf is the line of something that is to reach a part of the rate of the
// reference in the same round; 0 is no target.
func rateOf(what string, s, reference sample, of string, target float64) line {
	ratios := reference.over(s)
	ratio := median(ratios)
	out := line{
		what: what, figure: fmt.Sprintf("%.0f MB/s", rate(outputSize, s.median())),
		spread:    fmt.Sprintf("%.0f–%.0f", rate(outputSize, s.max()), rate(outputSize, s.min())),
		reference: fmt.Sprintf("%.0f MB/s, %s", rate(outputSize, reference.median()), of),
		ratio:     fmt.Sprintf("%.0f %%", 100*ratio),
	}
	if target > 0 {
		out.target, out.verdict = fmt.Sprintf("≥ %.0f %%", 100*target), judge(ratio >= target, slices.Max(ratios) >= target)
	}
	return out
}

// rate is in MB/s.
func rate(bytes int64, took time.Duration) float64 { return float64(bytes) / megabyte / took.Seconds() }

// measureStop measures searching the output for the pattern of a stop rule.
func measureStop(l *lab) ([]line, error) {
	return measureSearch(l, "one stop rule", "--stop-on-regex", `(?i)error: quota (exceeded|reached)$`)
}

// measureSecret measures searching the output for a secret.
func measureSecret(l *lab) ([]line, error) {
	const name = "BENCH_SECRET"
	if err := os.Setenv(name, "correct horse battery staple"); err != nil {
		return nil, err
	}
	return measureSearch(l, "one masked secret", "--secret-env", name)
}

// measureSearch measures runs with a flag over more and more output. What a
// byte costs must not depend on how many there were before it.
func measureSearch(l *lab, what, flag, value string) ([]line, error) {
	sizes := []int64{1, 16, 64, 256} // MB
	var commands []func() (time.Duration, error)
	for _, size := range sizes {
		commands = append(commands, l.runOnce(fmt.Sprint("-lines ", size*megabyte), "-q", flag, value))
	}
	samples, err := interleave(l.runs, commands...)
	if err != nil {
		return nil, err
	}
	return searchLines(what, sizes, samples), nil
}

func searchLines(what string, sizes []int64, samples []sample) []line {
	most := len(sizes) - 1
	bytes := (sizes[most] - sizes[0]) * megabyte
	took := samples[most].minus(samples[0].median())
	speed := rate(bytes, took.median())
	bend := perByte(sizes, samples, most) / perByte(sizes, samples, most-1)
	return []line{{
		what: fmt.Sprintf("%s, %d MB", what, sizes[most]), figure: fmt.Sprintf("%.0f MB/s", speed),
		spread: fmt.Sprintf("%.0f–%.0f", rate(bytes, took.max()), rate(bytes, took.min())),
		target: fmt.Sprintf("≥ %.0f MB/s", rateTarget), verdict: judge(speed >= rateTarget, rate(bytes, took.min()) >= rateTarget),
	}, {
		what:   fmt.Sprintf("%s, a byte of %d–%d MB", what, sizes[most-1], sizes[most]),
		figure: fmt.Sprintf("%.2f ns", perByte(sizes, samples, most)), ratio: fmt.Sprintf("%.1f", bend),
		reference: fmt.Sprintf("%.2f ns, a byte of %d–%d MB", perByte(sizes, samples, most-1), sizes[most-2], sizes[most-1]),
		target:    fmt.Sprintf("≤ %.0f ×", bendLimit), verdict: judge(bend <= bendLimit, false),
	}}
}

// perByte is what a byte costs, in ns, between one size and the next.
func perByte(sizes []int64, samples []sample, i int) float64 {
	more := samples[i].median() - samples[i-1].median()
	return float64(more.Nanoseconds()) / float64((sizes[i]-sizes[i-1])*megabyte)
}
