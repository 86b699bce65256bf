package main

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"infbench/metrics/kernel"
)

// machine is the machine of the measurements.
type machine struct {
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Threads   int    `json:"threads"` // of every side
	Kernels   string `json:"kernels"` // set of kernels of our side
	Go        string `json:"go"`
	System    string `json:"system"`
}

func describeMachine(threads int) machine {
	return machine{
		Processor: processorName(), Cores: runtime.NumCPU(), Threads: threads, Kernels: kernel.Name(),
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// processorName is the model of the first processor, if the system reports it.
func processorName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
