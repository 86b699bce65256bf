package atomicfile

import (
	"path/filepath"
	"strings"
	"sync"
)

// mounted are the file systems that stand in for the operating system's, by folder.
// Nothing but a test mounts one: elsewhere there are none, and OS is what it says.
var mounted struct {
	sync.RWMutex
	at map[string]FS
}

// Mount puts a file system into the place of the operating system's for all that OS
// writes below a folder, until it is unmounted. It is for tests that break whole verbs,
// and each does so in a folder of its own, so that tests may run side by side.
func Mount(dir string, fsys FS) (unmount func()) {
	dir = absolute(dir)
	change(func(at map[string]FS) { at[dir] = fsys })
	return func() { change(func(at map[string]FS) { delete(at, dir) }) }
}

// change changes what is mounted.
func change(do func(map[string]FS)) {
	mounted.Lock()
	defer mounted.Unlock()
	if mounted.at == nil {
		mounted.at = map[string]FS{}
	}
	do(mounted.at)
}

// of is the file system of a path.
func of(path string) FS {
	mounted.RLock()
	defer mounted.RUnlock()
	if len(mounted.at) == 0 {
		return system{}
	}
	path = absolute(path)
	for dir, fsys := range mounted.at {
		if path == dir || strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return fsys
		}
	}
	return system{}
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path // without a working folder nothing relative is mounted
}
