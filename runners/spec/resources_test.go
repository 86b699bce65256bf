package spec

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestBytes(t *testing.T) {
	for text, want := range map[string]Bytes{"512MiB": 512 << 20, "16GiB": 16 << 30, "1TiB": 1 << 40, "3 KiB": 3072, "100": 100} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err != nil || b != want {
			t.Errorf("%q = %d, %v; want %d", text, b, err, want)
		}
		var again Bytes
		if err := again.UnmarshalText([]byte(b.String())); err != nil || again != b {
			t.Errorf("%q prints as %q, which reads as %d, %v", text, b, again, err)
		}
	}
	for _, bad := range []string{"", "0", "-1GiB", "1.5GiB", "16GB", "16g", "9223372036854775807KiB", "GiB", "NaN"} {
		var b Bytes
		if err := b.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was taken as %d", bad, b)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	for text, minutes := range map[string]int64{"90m": 90, "36h": 2160, "1h30m": 90, "5m": 5} {
		var l TimeLimit
		if err := l.UnmarshalText([]byte(text)); err != nil || l.Minutes() != minutes {
			t.Errorf("%q = %d minutes, %v; want %d", text, l.Minutes(), err, minutes)
		}
		var again TimeLimit
		if err := again.UnmarshalText([]byte(l.String())); err != nil || again != l {
			t.Errorf("%q prints as %q, which reads as %v, %v", text, l, again, err)
		}
	}
	for _, bad := range []string{"", "90", "4m", "90s", "-5h", "1d", "5m1s", "1-00:00:00"} {
		var l TimeLimit
		if err := l.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was taken as %v", bad, time.Duration(l))
		}
	}
}

func TestResourcesValidate(t *testing.T) {
	if err := (Resources{GPUs: 1, CPUs: 4, Partition: "gpu", Account: "ir", Extra: []string{"--constraint=a100", "--exclusive", "--mem-per-gpu=8G"}}).Validate(); err != nil {
		t.Error(err)
	}
	for want, r := range map[string]Resources{
		"gpus":             {GPUs: -1},
		"cpus":             {CPUs: 1 << 20},
		"partition":        {Partition: "a b"},
		"account":          {Account: "-x"},
		"key of its own":   {Extra: []string{"--mem=4G"}},
		"engine":           {Extra: []string{"--array=0-3"}},
		"--signal":         {Extra: []string{"--sig=B:TERM@5"}}, // sbatch accepts prefixes of names
		"want options":     {Extra: []string{"-p gpu"}},
		"--constraint=a10": {Extra: []string{"script.sh"}},
	} {
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", r, err, want)
		}
	}
}

// The first rule that fits decides. Resources change no trial's ID or text, and are kept in the
// plan file.
func TestResourcesSection(t *testing.T) {
	const file = `
name: x
matrix: {loss: [uni(P)], seed: [1, 2]}
baselines: [bm25]
evaluate: [mini-mair]
`
	bare := plan(t, file)
	full := plan(t, file+`
resources:
  gpus: 1
  cpus: 4
  memory: 16GiB
  overrides:
    - {when: {model: bm25}, gpus: 0, extra: [--exclusive]}
    - {when: {seed: 2}, time: 2h}
    - {when: {seed: 2}, time: 3h}
`)
	want := []Resources{
		{GPUs: 1, CPUs: 4, Memory: 16 << 30},
		{GPUs: 1, CPUs: 4, Memory: 16 << 30, Time: TimeLimit(2 * time.Hour)},
		{CPUs: 4, Memory: 16 << 30, Extra: []string{"--exclusive"}},
	}
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := full.Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := ReadPlan(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if got := read.Trials[i].Resources; !reflect.DeepEqual(got, w) {
			t.Errorf("%s asks for %+v, want %+v", read.Trials[i].Label, got, w)
		}
		var with, without strings.Builder
		if err := errors.Join(full.Trials[i].WriteYAML(&with), bare.Trials[i].WriteYAML(&without)); err != nil {
			t.Fatal(err)
		}
		if full.Trials[i].ID != bare.Trials[i].ID || with.String() != without.String() {
			t.Errorf("resources changed trial %s", full.Trials[i].Label)
		}
	}
}

func TestResourcesSectionIsStrict(t *testing.T) {
	const head = "name: x\nevaluate: [mini-mair]\nresources: "
	for section, want := range map[string]string{
		"{gpu: 1}":                           `3:13: unknown key "gpu"`,
		"{gpus: 1.5}":                        "3:19: resources.gpus: want a whole number",
		"{gpus: -1}":                         "gpus: want 0 to",
		"{memory: 16GB}":                     "resources.memory: want an amount",
		"{memory: 16}":                       "",
		"{time: 4:00:00}":                    "full minutes",
		"{extra: --mem=4G}":                  "want a list",
		"{extra: [--mem=4G]}":                "key of its own",
		"[1]":                                "want a mapping",
		"{overrides: {gpus: 0}}":             "want a list",
		"{overrides: [{gpus: 0}]}":           "which cells",
		"{overrides: [{when: {}, gpus: 0}]}": "fits no cell",
		"{overrides: [{when: {model: bm52}, gpus: 0}]}":     "bm25",
		"{overrides: [{when: {sed: 1}, gpus: 0}]}":          "seed",
		"{overrides: [{when: {seed: 1}, gpus: many}]}":      "resources.overrides.gpus",
		"{overrides: [{when: {seed: 1}, overrides: [{}]}]}": "unknown key",
	} {
		_, err := parse("x.yaml", []byte(head+section+"\n"), testKnown)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", section, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", section, err, want)
		}
	}
}
