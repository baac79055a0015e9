package ui

import (
	"fmt"
	"time"
)

// duration writes milliseconds as a person would read a clock, to the second.
func duration(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
}

// size writes a number of bytes in decimal units, to one decimal place. The
// next unit begins where this one would be rounded up to 1000.
func size(bytes int64) string {
	switch n := float64(bytes); {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case n < 999.95e3:
		return fmt.Sprintf("%.1f kB", n/1e3)
	case n < 999.95e6:
		return fmt.Sprintf("%.1f MB", n/1e6)
	default:
		return fmt.Sprintf("%.1f GB", n/1e9)
	}
}
