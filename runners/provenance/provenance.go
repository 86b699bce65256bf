// Package provenance describes how a result was made: the build of infbench, the machine, the
// versions of dependencies, the data with their hashes, and the time of each phase. It measures
// nothing else and computes no result.
package provenance

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"infbench/datasets"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/training/encoder"
)

// modulesThatMatter are the dependencies that can affect numbers.
var modulesThatMatter = []string{
	"github.com/gomlx/gomlx", "github.com/gomlx/compute", "gonum.org/v1/gonum",
	"github.com/clipperhouse/uax29/v2",
}

// New describes this binary and machine.
func New(command string, started time.Time) results.Provenance {
	p := results.Provenance{
		Go:      runtime.Version(),
		OS:      runtime.GOOS + "/" + runtime.GOARCH,
		CPU:     cpuModel(),
		Cores:   runtime.NumCPU(),
		Backend: device.BackendName(device.GoBackend, encoder.Float32),
		Modules: map[string]string{},
		Command: command,
		Started: started.UTC().Truncate(time.Second),
		Seconds: map[string]float64{},
	}
	p.Infbench, p.Source, p.Address = BuildVersion(), BuildSource(), BuildAddress()
	p.Host, _ = os.Hostname()
	p.Devices, p.Driver = Accelerators("/proc/driver/nvidia")
	p.Environ = environment()
	if info, ok := debug.ReadBuildInfo(); ok {
		p.Build = map[string]string{}
		for _, s := range info.Settings {
			p.Build[s.Key] = s.Value
		}
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

// environmentThatMatters are the variables that can change the speed, the device or the last
// digits of a computation. None contains a secret.
var environmentThatMatters = []string{
	"GODEBUG", "GOEXPERIMENT", "GOGC", "GOMAXPROCS", "GOMEMLIMIT",
	"CUDA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE", "NVIDIA_VISIBLE_DEVICES", "XLA_FLAGS", "TF_XLA_FLAGS",
	"LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ",
	"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_RESTART_COUNT", "JOB_COMPLETION_INDEX",
}

// environment returns those of the variables that are set.
func environment() map[string]string {
	set := map[string]string{}
	for _, name := range environmentThatMatters {
		if value, ok := os.LookupEnv(name); ok {
			set[name] = value
		}
	}
	return set
}

// Accelerators returns the names of this machine's NVIDIA devices and the version of their
// driver, which the driver publishes in its folder of /proc. Both are empty if there is no
// driver.
func Accelerators(folder string) (devices []string, driver string) {
	described, _ := filepath.Glob(filepath.Join(folder, "gpus", "*", "information"))
	for _, path := range described {
		data, _ := os.ReadFile(path)
		for line := range strings.Lines(string(data)) {
			if name, value, _ := strings.Cut(line, ":"); name == "Model" {
				devices = append(devices, strings.TrimSpace(value))
			}
		}
	}
	data, _ := os.ReadFile(filepath.Join(folder, "version"))
	first, _, _ := strings.Cut(string(data), "\n")
	return devices, strings.TrimSpace(strings.TrimPrefix(first, "NVRM version:"))
}

// cpuModel returns the name of the processor, or "unknown".
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

// DescribeBenchmark returns the description of a benchmark that reports need, with the hashes
// of its content. It streams every corpus.
func DescribeBenchmark(b *datasets.Benchmark) (results.Benchmark, error) {
	d := results.Benchmark{
		Name: b.Name, Synthetic: b.Synthetic, Source: b.Source, Revision: b.Revision,
		Licence: b.Licence, Tasks: map[string]string{}, Path: b.Folder, Private: b.IsPrivate(), DropSelf: b.DropsSelf(), Warnings: results.WarningsOf(b),
	}
	for _, t := range b.Tasks {
		d.Tasks[t.Name] = t.Notes
		if t.Control {
			d.Controls = append(d.Controls, t.Name)
		}
		if len(t.Defeats) > 0 {
			if d.Defeats == nil {
				d.Defeats = map[string][]string{}
			}
			d.Defeats[t.Name] = t.Defeats
		}
		if len(t.Groups) > 0 {
			if d.Groups == nil {
				d.Groups = map[string][]string{}
			}
			d.Groups[t.Name] = t.Groups
		}
	}
	var err error
	d.Content, err = datasets.HashContents(b)
	return d, err
}
