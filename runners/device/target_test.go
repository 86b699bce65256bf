package device

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// touch creates empty files below a folder.
func touch(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A device's name is translated for GoMLX, which opens it, and for provenance.
func TestTarget(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir, "xla_cuda_plugin.so", "other.so", "pjrt_c_api_cpu_plugin.so")
	cuda, other, host := filepath.Join(dir, "xla_cuda_plugin.so"), filepath.Join(dir, "other.so"), filepath.Join(dir, "pjrt_c_api_cpu_plugin.so")
	for _, c := range []struct{ device, plugin, config, backend string }{
		{"go", "", "go:parallelism=-1", "go:parallelism=-1"},
		{"xla:cpu", "", "xla:cpu", "xla:cpu"},
		{"xla:cpu,self_test=false", "", "xla:cpu", "xla:cpu,self_test=false"},
		{host, host, "xla:" + host + ",shared_buffers=false", "xla:" + host},
		{host + ":3", host, "xla:" + host + ",shared_buffers=false", "xla:" + host + ",visible_devices=3"},
		{"xla:cuda", "/p.so", "xla:/p.so,tf32=false", "xla:cuda,tf32=false"},
		{"xla:cuda:3", "/p.so", "xla:/p.so,tf32=false,visible_devices=3", "xla:cuda,tf32=false,visible_devices=3"},
		{"xla:cuda,tf32,deterministic", "/p.so", "xla:/p.so,tf32=true", "xla:cuda,tf32=true,deterministic"},
		{"xla:cuda:1,memory_fraction=0.9,preallocate", "/p.so", "xla:/p.so,tf32=false,visible_devices=1,memory_fraction=0.9,preallocate=true",
			"xla:cuda,tf32=false,visible_devices=1,memory_fraction=0.9,preallocate=true"},
		{cuda, cuda, "xla:" + cuda + ",tf32=false", "xla:" + cuda + ",tf32=false"},
		{dir + ":2", cuda, "xla:" + cuda + ",tf32=false,visible_devices=2", "xla:" + cuda + ",tf32=false,visible_devices=2"},
		{"xla:" + other + ":0,preallocate=false", other, "xla:" + other + ",visible_devices=0,preallocate=false", "xla:" + other + ",visible_devices=0,preallocate=false"},
		{other + ",self_test=false", other, "xla:" + other, "xla:" + other + ",self_test=false"},
	} {
		target, err := ParseTarget(c.device)
		if err != nil {
			t.Errorf("%s: %v", c.device, err)
			continue
		}
		if got := target.config(c.plugin); got != c.config {
			t.Errorf("%s opens %s, want %s", c.device, got, c.config)
		}
		if got, err := BackendConfig(c.device); err != nil || got != c.backend {
			t.Errorf("%s is %s in provenance, %v; want %s", c.device, got, err, c.backend)
		}
		if again, err := ParseTarget(target.String()); err != nil || again.backend() != target.backend() {
			t.Errorf("%s is %s, which is another device: %v", c.device, target, err)
		}
	}
}

func TestTargetErrors(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir, "a.so", "a,b.so", "empty/readme")
	at := func(name string) string { return filepath.Join(dir, name) }
	for device, want := range map[string]string{
		"xla:cudda": `did you mean "xla:cuda"?`, "xla:cuda:": "a card's number", "xla:cuda:01": "a card's number", at("a.so") + ":x": "a card's number",
		at("none.so"): "no PJRT plugin there", at("none.so") + ":1": "no PJRT plugin there", at("empty"): "no PJRT plugin there", at("a,b.so"): "not contain a comma",
		"go,deterministic": "no options", "xla:cuda,memory_fraction": "between 0 and 1", "xla:cuda,memory_fraction=1.5": "between 0 and 1", "xla:cuda,memory_fraction=NaN": "between 0 and 1",
		"xla:cuda,preallocate=perhaps": "true or false", "xla:cuda,preallocat": `did you mean "preallocate"?`, "xla:cuda,tf32,tf32": "twice", "xla:cuda,": "unknown option", "xla:cuda,foo=1": `unknown option "foo"`, "xla:cuda,preallocat=1": `did you mean "preallocate"?`,
	} {
		if got, err := ParseTarget(device); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", device, got, err, want)
		}
	}
}

// A comma-separated list of devices keeps options that also contain commas.
func TestJoin(t *testing.T) {
	got := Join(strings.Split("xla:cuda:0,memory_fraction=0.9,preallocate,xla:cuda:1,memory_fraction=0.9", ","))
	if want := []string{"xla:cuda:0,memory_fraction=0.9,preallocate", "xla:cuda:1,memory_fraction=0.9"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Join([]string{"tf32", "go"}); !slices.Equal(got, []string{"tf32", "go"}) {
		t.Errorf("options of nothing: %q", got)
	}
}

// Cards of one plugin with the same options have the same kind.
func TestKind(t *testing.T) {
	if a, b := Kind("xla:cuda:0,tf32"), Kind("xla:cuda:7,tf32"); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := Kind("xla:cuda:0"), Kind("xla:cuda:0,tf32"); a == b {
		t.Errorf("with and without TF32 is %s", a)
	}
	if !OnHost("go") || !OnHost("xla:cpu") || OnHost("xla:cuda") || OnHost("xla:cuda:1,tf32") {
		t.Error("whose memory it is")
	}
}
