package ui

import "bytes"

const colourOff = "\x1b[0m"

// lineStart returns what has to come before text that is to stand at the start
// of a line, in the terminal's own colour.
func (w *Writer) lineStart() []byte {
	var p []byte
	if w.colour {
		p = append(p, colourOff...)
	}
	if w.midLine {
		p = append(p, '\n')
	}
	return p
}

// leavesMidLine reports whether the cursor is within a line after p, if before
// says the same of what came before p. Colours at the end of p, which programs
// like to turn off behind the newline, take no place.
func leavesMidLine(p []byte, before bool) bool {
	p = trimColours(p)
	if len(p) == 0 {
		return before
	}
	return p[len(p)-1] != '\n'
}

// trimColours cuts SGR sequences off the end of p. In filtered text an ESC
// begins nothing else.
func trimColours(p []byte) []byte {
	for len(p) > 0 && p[len(p)-1] == 'm' {
		params := bytes.TrimRight(p[:len(p)-1], "0123456789:;")
		start, found := bytes.CutSuffix(params, []byte("\x1b["))
		if !found {
			break
		}
		p = start
	}
	return p
}
