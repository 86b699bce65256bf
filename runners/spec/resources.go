package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"infbench/training/setting"
)

// Resources are a cell's requests to a cluster. They do not affect the cell's numbers, so no
// trial ID depends on them. The local engine does not read them.
type Resources struct {
	GPUs      int       `yaml:"gpus,omitempty"`
	CPUs      int       `yaml:"cpus,omitempty"`   // 0: one
	Memory    Bytes     `yaml:"memory,omitempty"` // 0: the cluster's default
	Time      TimeLimit `yaml:"time,omitempty"`   // 0: the cluster's default
	Partition string    `yaml:"partition,omitempty"`
	Account   string    `yaml:"account,omitempty"`
	Extra     []string  `yaml:"extra,omitempty"` // further options of sbatch, such as --constraint=a100
}

// Describe describes the fields of a Resources.
func (Resources) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "gpus", Range: "[0,1024]", Unit: "GPUs", Meaning: "GPUs of a cell", Source: setting.Own},
		{Name: "cpus", Range: "[0,65536]", Unit: "processors", Unsaid: "0: one", Meaning: "processors of a cell", Source: setting.Own},
		{Name: "memory", Unit: "512MiB, 16GiB, bytes", Unsaid: "the cluster's", Meaning: "memory of a cell", Source: setting.Own},
		{Name: "time", Unit: "90m, 36h: full minutes, 5m at least", Unsaid: "the cluster's", Meaning: "time limit of one run of a cell; at the limit it saves its state and is queued again", Source: setting.Own},
		{Name: "partition", Unsaid: "the cluster's", Meaning: "Slurm partition", Source: "sbatch"},
		{Name: "account", Unsaid: "the user's", Meaning: "Slurm account", Source: "sbatch"},
		{Name: "extra", Unsaid: "none", Meaning: "further options of sbatch, such as --constraint=a100", Source: "sbatch"},
	}
}

// Limits of a cell's requests; anything beyond is a typing error.
const (
	maxGPUs = 1024
	maxCPUs = 65536
)

// reservedOptions are options of sbatch that the engine itself gives. Another value would break
// how it finds, signals and resumes its jobs.
var reservedOptions = []string{
	"array", "chdir", "dependency", "error", "export", "export-file", "hold", "input", "job-name", "no-requeue",
	"ntasks", "nodes", "open-mode", "output", "parsable", "requeue", "signal", "test-only", "wait", "wrap",
}

// namedOptions are options of sbatch with a key of their own.
var namedOptions = map[string]string{
	"gres": "gpus", "gpus": "gpus", "cpus-per-task": "cpus", "mem": "memory",
	"time": "time", "partition": "partition", "account": "account",
}

// Validate checks the conditions that the decoder does not know.
func (r Resources) Validate() error {
	switch {
	case r.GPUs < 0 || r.GPUs > maxGPUs:
		return fmt.Errorf("gpus: want 0 to %d, found %d", maxGPUs, r.GPUs)
	case r.CPUs < 0 || r.CPUs > maxCPUs:
		return fmt.Errorf("cpus: want 1 to %d, found %d", maxCPUs, r.CPUs)
	}
	for _, named := range []struct{ key, name string }{{"partition", r.Partition}, {"account", r.Account}} {
		if strings.HasPrefix(named.name, "-") || strings.ContainsFunc(named.name, notPrintable) {
			return fmt.Errorf("%s: not a name: %q", named.key, named.name)
		}
	}
	for _, option := range r.Extra {
		if err := checkOption(option); err != nil {
			return err
		}
	}
	return nil
}

// checkOption checks that an extra option of sbatch has the form --name or --name=value and
// that the name is free.
func checkOption(option string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(option, "--"), "=")
	if !strings.HasPrefix(option, "--") || name == "" || strings.ContainsFunc(option, notPrintable) {
		return fmt.Errorf("extra: want options such as --constraint=a100, found %q", option)
	}
	if key := namedOptions[name]; key != "" {
		return fmt.Errorf("extra: --%s has a key of its own: %s", name, key)
	}
	// sbatch accepts any unambiguous prefix of an option's name.
	for _, reserved := range reservedOptions {
		if strings.HasPrefix(reserved, name) {
			return fmt.Errorf("extra: --%s is set by the engine", reserved)
		}
	}
	return nil
}

// notPrintable reports whether a rune is not allowed on a command line.
func notPrintable(r rune) bool { return r <= ' ' || r == 0x7f }

// Bytes is an amount of memory: "512MiB", "16GiB", "1TiB", or a number of bytes.
type Bytes int64

// byteUnits are the units of Bytes, the largest first.
var byteUnits = []struct {
	name string
	size int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}

// UnmarshalText parses an amount of memory.
func (b *Bytes) UnmarshalText(text []byte) error {
	for _, unit := range byteUnits {
		number, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || n > math.MaxInt64/unit.size {
			break
		}
		*b = Bytes(n * unit.size)
		return nil
	}
	return fmt.Errorf("want an amount such as 512MiB or 16GiB, found %q", text)
}

// MarshalText prints the amount in the largest unit that divides it.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

func (b Bytes) String() string {
	for _, unit := range byteUnits {
		if b != 0 && int64(b)%unit.size == 0 {
			return strconv.FormatInt(int64(b)/unit.size, 10) + unit.name
		}
	}
	return "0"
}

// TimeLimit is the time limit of one run of a cell: "90m", "36h", in full minutes. A cell that
// reaches it saves its state and is queued again.
type TimeLimit time.Duration

// minTimeLimit leaves a cell time before the notice that it gets ahead of the limit
// (engine.Slurm).
const minTimeLimit = 5 * time.Minute

// UnmarshalText parses a limit.
func (l *TimeLimit) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d%time.Minute != 0 || d < minTimeLimit {
		return fmt.Errorf("want full minutes, 5m at least, such as 90m or 36h, found %q", text)
	}
	*l = TimeLimit(d)
	return nil
}

// MarshalText prints the limit in minutes.
func (l TimeLimit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

func (l TimeLimit) String() string { return strconv.FormatInt(l.Minutes(), 10) + "m" }

// Minutes returns the limit in minutes.
func (l TimeLimit) Minutes() int64 { return int64(time.Duration(l) / time.Minute) }
