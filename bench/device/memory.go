package device

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
)

// unknownMemory is assumed where the system does not say.
const unknownMemory = 4 << 30

// Memory is how many bytes of memory this process could ever have: the
// machine's, or what its control group allows. What is free at the moment has no
// part in it: batches must not depend on what else runs.
func Memory() int64 {
	memory := int64(unknownMemory)
	if data, err := os.ReadFile("/proc/meminfo"); err == nil {
		if total, ok := parseMemTotal(data); ok {
			memory = total
		}
	}
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		data, err := os.ReadFile(limit)
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
