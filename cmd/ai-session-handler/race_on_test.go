//go:build race

package main

// raceDetector tells whether the test binary has the race detector.
const raceDetector = true
