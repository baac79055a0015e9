package cgroup

import (
	"io"
	"os"
	"path/filepath"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// maxRead bounds what is read of a file: a list of processes may be long.
const maxRead = 1 << 20

func read(seam fsx.Seam, name string) (text string, err error) {
	err = seam.Do("cgroup-read", filepath.Base(name), func() error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		data, err := io.ReadAll(io.LimitReader(f, maxRead))
		text = string(data)
		return err
	})
	return text, err
}

// write never creates a file, so that one that the kernel does not have is
// reported as missing.
func write(seam fsx.Seam, name, value string) error {
	return seam.Do("cgroup-write", filepath.Base(name), func() error {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		_, err = f.WriteString(value)
		return err
	})
}
