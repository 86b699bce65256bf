package backend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/internal/disk"
)

// The kernels fit the version of GoMLX that go.mod pins.
func TestFits(t *testing.T) {
	if set, err := Kernels(); err != nil || set == "" {
		t.Errorf("kernels %q, %v", set, err)
	}
	var n node
	if got := fmt.Sprintf("%T", n.value()); got != "*gobackend.Node" {
		t.Errorf("upstream is given a %s", got)
	}
}

// Types with other fields, places or arguments are refused, and the error names the difference.
func TestMirrors(t *testing.T) {
	type inner struct{ A, B int }
	type theirs struct {
		Name string
		In   *inner
		Rest []byte
	}
	for _, c := range []struct {
		ours any
		want string // "" if it fits
	}{
		{struct {
			_  string
			In *inner
		}{}, ""},
		{struct {
			_  string
			In *struct{ A int }
		}{}, ""},
		{struct {
			_  string
			In *struct{ B int }
		}{}, "field In of backend.theirs: field A of backend.inner is in the place of B"},
		{struct{ In *inner }{}, "field Name of backend.theirs is in the place of In"},
		{struct {
			_  int
			In *inner
		}{}, "field Name of backend.theirs: string is not a int"},
		{struct {
			_    string
			_    *inner
			Rest []int
		}{}, "field Rest of backend.theirs: uint8 is not a int"},
		{struct {
			_    string
			_    *inner
			_    []byte
			More int
		}{}, "backend.theirs has fewer fields"},
		{5, "backend.theirs is not a int"},
	} {
		err := mirrors{}.same(reflect.TypeOf(c.ours), reflect.TypeFor[theirs]())
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%T: %v, want %q", c.ours, err, c.want)
		}
	}
	if err := (mirrors{}).same(reflect.TypeFor[func(int) bool](), reflect.TypeFor[func(int)]()); err == nil {
		t.Error("a function with another result fits")
	}
}

// The files of GoMLX whose meaning the kernels rely on are those of testdata/relies.sum. If one
// has changed, read the change, adapt this package, and write the hashes with
// INFBENCH_UPDATE=1.
func TestUpstreamFilesAreKnown(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/compute").Output()
	if err != nil {
		t.Fatal(err)
	}
	const sums = "testdata/relies.sum"
	text, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for line := range strings.Lines(string(text)) {
		want, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("%s: %q is not a hash and a file", sums, line)
		}
		sum, _, err := disk.SHA256(filepath.Join(strings.TrimSpace(string(out)), filepath.FromSlash(name)))
		if err != nil || sum != want {
			t.Errorf("%s has changed, %v", name, err)
		}
		fmt.Fprintf(&now, "%s  %s\n", sum, name)
	}
	if os.Getenv("INFBENCH_UPDATE") != "" {
		if err := os.WriteFile(sums, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
