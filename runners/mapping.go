package runners

import (
	"errors"
	"runtime/debug"
)

// errShrunk says that a file became shorter while it was read in memory.
var errShrunk = errors.New("a file of the embedding cache was cut short, or could not be read, while it was searched")

// guarded calls f, which may read files in memory (see mapFile). What the system cannot
// read there is an error of f, and not the end of the process.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault := recover()
		if _, ok := fault.(interface{ Addr() uintptr }); ok {
			err = errShrunk
		} else if fault != nil {
			panic(fault)
		}
	}()
	return f()
}
