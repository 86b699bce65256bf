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

// unknownMemory is assumed if the system does not report its memory.
const unknownMemory = 4 << 30

// Machine returns the bytes of memory that this process could ever have: the machine's, or the
// limit of its control groups or of its address space (ulimit -v). Free memory does not matter:
// batches must not depend on other programs.
func Machine() int64 { return min(memoryOf(os.DirFS("/")), addressSpace()) }

// memoryOf returns the memory of a machine from the files below root.
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
		// "max" is not a number, and version 1 writes a number beyond all memory.
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 {
			memory = min(memory, n)
		}
	}
	return memory
}

// groupLimits returns the files with limits for this process: those of its control group, of
// version 2 and of version 1, and of its parent groups.
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
	data, _ := fs.ReadFile(root, "proc/self/cgroup") // if missing: the topmost groups
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

// parseMemTotal parses the line "MemTotal: 8052084 kB" of /proc/meminfo.
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
