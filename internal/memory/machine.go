package memory

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// unknownMemory is assumed where the system does not say.
const unknownMemory = 4 << 30

// Machine is how many bytes of memory this process could ever have: the machine's, or
// what its control groups or its limit of address space (ulimit -v) allow. What is free
// at the moment has no part in it: batches must not depend on what else runs.
func Machine() int64 { return min(memoryOf(os.DirFS("/")), addressSpace()) }

// memoryOf is the memory of a machine, as the files below root tell.
func memoryOf(root fs.FS) int64 {
	memory := int64(unknownMemory)
	if data, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		if total, ok := parseMemTotal(data); ok {
			memory = total
		}
	}
	for _, limit := range groupLimits(root) {
		data, err := fs.ReadFile(root, limit)
		if err != nil {
			continue
		}
		// "max" is no number, and version 1 writes one beyond all memory.
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 {
			memory = min(memory, n)
		}
	}
	return memory
}

// groupLimits are the files that may limit this process: those of its control group, of
// version 2 and of version 1, and of the groups above it.
func groupLimits(root fs.FS) []string {
	var files []string
	add := func(top, group, name string) {
		for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
			files = append(files, path.Join(top, dir, name))
			if dir == "/" {
				return
			}
		}
	}
	two, one := "/", "/"
	data, _ := fs.ReadFile(root, "proc/self/cgroup") // none: the topmost groups
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) != 3:
		case fields[0] == "0":
			two = fields[2]
		case strings.Contains(","+fields[1]+",", ",memory,"):
			one = fields[2]
		}
	}
	add("sys/fs/cgroup", two, "memory.max")
	add("sys/fs/cgroup/memory", one, "memory.limit_in_bytes")
	return files
}

// parseMemTotal reads the line "MemTotal:  8052084 kB" of /proc/meminfo.
func parseMemTotal(meminfo []byte) (int64, bool) {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n << 10, err == nil && n > 0
		}
	}
	return 0, false
}
