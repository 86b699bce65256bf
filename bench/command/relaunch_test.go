package command

import (
	"slices"
	"testing"
)

// The devices of a command line, at any position.
func TestNamedDevices(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"sweep", "x.yaml", "--device", "xla:cuda,tf32"}, []string{"xla:cuda,tf32"}},
		{[]string{"sweep", "--device=xla:cuda", "x.yaml"}, []string{"xla:cuda"}},
		{[]string{"sweep", "x.yaml", "--devices", "xla:cuda:0,tf32,xla:cuda:1,tf32"}, []string{"xla:cuda:0,tf32", "xla:cuda:1,tf32"}},
		{[]string{"train", "x.yaml", "--devices", "2", "--device", "xla:cuda"}, []string{"xla:cuda"}},
		{[]string{"open-device", "xla:cuda:1"}, []string{"xla:cuda:1"}},
		{[]string{"trial", "dir", "id", "--device", "xla:cuda"}, []string{"xla:cuda"}},
		{[]string{"sweep", "x.yaml"}, nil}, // the default device needs no relaunch
		{[]string{"gpu-check", "--shape", "tiny"}, []string{"xla:cuda"}},
		{[]string{"gpu-check", "--device", "go"}, []string{"go"}},
		{[]string{"sweep", "--device"}, nil},
		{[]string{"swep", "--device", "xla:cuda"}, nil},
		{nil, nil},
	} {
		got := namedDevices(c.args)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}

// A trial stores autotuning results in its run folder; other verbs store none.
func TestNamedAutotuning(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"trial", "/runs/x", "id", "--device", "xla:cuda"}, "/runs/x/autotune"},
		{[]string{"trial", "--device", "xla:cuda", "/runs/x", "--cells", "list", "--index", "1"}, "/runs/x/autotune"},
		{[]string{"trial"}, ""},
		{[]string{"sweep", "/runs/x", "--device", "xla:cuda"}, ""},
		{nil, ""},
	} {
		if got := namedAutotuning(c.args); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}
