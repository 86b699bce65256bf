package format

import (
	"io"

	"infbench/metrics/trec"
)

// OpenRun reads the run file at path, plain, gzip or zstd, as o.ReadRun does.
func OpenRun(path string, o trec.Options) (run trec.Run, tag string, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close() // read only: nothing can be lost
	return o.ReadRun(f, path)
}

// ReadFile reads the file at path, plain, gzip or zstd, with the function read, which gets path as
// the file's name for errors.
func ReadFile[T any](path string, read func(r io.Reader, name string) (T, error)) (T, error) {
	f, err := Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close() // read only: nothing can be lost
	return read(f, path)
}
