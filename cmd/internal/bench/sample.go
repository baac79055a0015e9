package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// sample is how long the runs of one command took, in their order.
type sample []time.Duration

func (s sample) median() time.Duration { return median(s) }

// median is the middle one, or the lower one of the two in the middle.
func median[S ~[]E, E cmp.Ordered](values S) E {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}

func (s sample) min() time.Duration { return slices.Min(s) }

func (s sample) max() time.Duration { return slices.Max(s) }

// spread tells how noisy the machine was: from the fastest run to the slowest.
func (s sample) spread() string { return fmt.Sprintf("%s–%s", ms(s.min()), ms(s.max())) }

// over is how many times as long each run took as the run of the other sample in
// the same round, which met the same machine.
func (s sample) over(other sample) []float64 {
	ratios := make([]float64, len(s))
	for i := range s {
		ratios[i] = float64(s[i]) / float64(other[i])
	}
	return ratios
}

// minus is what each run took longer than the base.
func (s sample) minus(base time.Duration) sample {
	rest := make(sample, len(s))
	for i, d := range s {
		rest[i] = max(d-base, 0)
	}
	return rest
}

// ms is a duration in milliseconds, as precise as it makes sense.
func ms(d time.Duration) string {
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%.1f", float64(d.Microseconds())/1e3)
	}
	return fmt.Sprint(d.Milliseconds())
}

// timed runs f and returns how long it took.
func timed(f func() error) (time.Duration, error) {
	began := time.Now()
	err := f()
	return time.Since(began), err
}

// interleave measures several commands n times each, in turn, so that what
// disturbs the machine meets all of them, and begins with another one each time.
// A round before that is not counted.
func interleave(n int, commands ...func() (time.Duration, error)) ([]sample, error) {
	samples := make([]sample, len(commands))
	for round := range n + 1 {
		for i := range commands {
			which := (i + round) % len(commands)
			took, err := commands[which]()
			if err != nil {
				return nil, err
			}
			if round > 0 {
				samples[which] = append(samples[which], took)
			}
		}
	}
	return samples, nil
}

// slope is by how much a value grows from one to the next, by least squares
// over the least of each block: the one that nothing disturbed.
func slope(values sample, block int) time.Duration {
	var xs, ys []float64
	for i := 0; i+block <= len(values); i += block {
		xs = append(xs, float64(i)+float64(block-1)/2)
		ys = append(ys, float64(values[i:i+block].min()))
	}
	return time.Duration(fit(xs, ys))
}

// fit is the slope of the straight line nearest to the points.
func fit(xs, ys []float64) float64 {
	mx, my := mean(xs), mean(ys)
	var over, under float64
	for i := range xs {
		over += (xs[i] - mx) * (ys[i] - my)
		under += (xs[i] - mx) * (xs[i] - mx)
	}
	if under == 0 {
		return 0
	}
	return over / under
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
