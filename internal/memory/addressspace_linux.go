package memory

import (
	"bytes"
	"math"
	"os"
	"runtime/metrics"
	"strconv"
	"syscall"
)

// addressSpace returns the part of this process's address space limit that is left for Go: without
// other mappings, such as the program itself. Without a limit it is unbounded.
func addressSpace() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	mapped := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(mapped)
	return max(Least, int64(limit.Cur)-virtual()+int64(mapped[0].Value.Uint64()))
}

// virtual returns the size of this process's address space.
func virtual() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	first, _, _ := bytes.Cut(data, []byte(" "))
	pages, err := strconv.ParseInt(string(first), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
