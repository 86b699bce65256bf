package main

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"infbench/bench/results"
	"infbench/datasets"
)

// modulesThatMatter are the dependencies that numbers can depend on.
var modulesThatMatter = []string{
	"github.com/gomlx/gomlx", "github.com/gomlx/compute", "gonum.org/v1/gonum",
	"github.com/blevesearch/go-porterstemmer", "github.com/clipperhouse/uax29/v2",
}

// newProvenance describes this binary and machine.
func newProvenance(command string, started time.Time) results.Provenance {
	p := results.Provenance{
		Go:      runtime.Version(),
		OS:      runtime.GOOS + "/" + runtime.GOARCH,
		CPU:     cpuModel(),
		Cores:   runtime.NumCPU(),
		Backend: goBackend,
		SIMD:    builtWithSIMD,
		Modules: map[string]string{},
		Command: command,
		Started: started.UTC().Truncate(time.Second),
		Seconds: map[string]float64{},
	}
	p.Infbench = version()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			for _, name := range modulesThatMatter {
				if m.Path == name {
					p.Modules[name] = m.Version
				}
			}
		}
	}
	return p
}

// version is the module version or the VCS revision that the binary was built
// from, marked where the tree had changes.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	if revision == "" {
		return info.Main.Version
	}
	return revision + modified
}

// cpuModel names the processor, or says "unknown".
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// peakRSS is the largest resident size of this process so far, in bytes.
func peakRSS() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss // bytes there, KiB elsewhere
	}
	return usage.Maxrss << 10
}

// describeBenchmark keeps what a report must say of a benchmark.
func describeBenchmark(b *datasets.Benchmark) results.Benchmark {
	d := results.Benchmark{
		Name: b.Name, Synthetic: b.Synthetic, Source: b.Source, Revision: b.Revision,
		Licence: b.Licence, Tasks: map[string]string{},
	}
	for _, t := range b.Tasks {
		d.Tasks[t.Name] = t.Notes
	}
	return d
}
