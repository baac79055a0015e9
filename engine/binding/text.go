package binding

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Settings as people read them: as a manifest would write them, but for the quotes
// around durations and sizes. Nothing is lost: 1000 bytes are no 1KiB.

// none is a limit that is switched off, or a block that is not there.
const none = "none"

// WordsText is a list of words in quotes.
func WordsText[T ~string](words []T) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(string(word))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// LimitText is a time limit, as Go writes durations; 0 is none.
func LimitText(limit time.Duration) string {
	if limit == 0 {
		return none
	}
	return limit.String()
}

// SizeText is a number of bytes in the largest unit that fits; 0 is none.
func SizeText(bytes int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}} {
		if bytes > 0 && bytes%unit.size == 0 {
			return strconv.FormatInt(bytes/unit.size, 10) + unit.name
		}
	}
	return CountText(bytes)
}

// CountText is a number of which 0 is none.
func CountText(n int64) string {
	if n == 0 {
		return none
	}
	return strconv.FormatInt(n, 10)
}

// CPUText is a number of processors, given in thousandths; 0 is none.
func CPUText(milli int64) string {
	if milli == 0 {
		return none
	}
	return strconv.FormatFloat(float64(milli)/1000, 'f', -1, 64)
}

// String is the block in one line, or none.
func (r *Retry) String() string {
	if r == nil {
		return none
	}
	return fmt.Sprintf("{ on = %s, max_attempts = %d, delay = %s }", WordsText(r.On), r.MaxAttempts, LimitText(r.Delay))
}
