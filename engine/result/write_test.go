package result

import "io"

// write feeds w, where an error can only be a mistake of the test.
func write(w io.Writer, p string) { writeBytes(w, []byte(p)) }

func writeBytes(w io.Writer, p []byte) {
	if _, err := w.Write(p); err != nil {
		panic(err)
	}
}

func closeFilter(f *Filter) {
	if err := f.Close(); err != nil {
		panic(err)
	}
}
