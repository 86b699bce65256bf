package provenance

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestRecorded(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, "(devel)"},
		{[]debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}, "0123456789ab"},
		{[]debug.BuildSetting{revision, {Key: "vcs.modified", Value: "true"}}, "0123456789ab+changes"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "7"}}, "7"},
	} {
		if got := recorded(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: c.settings}); got != c.want {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}

// A binary without a stamp is identified by the hash of its file.
func TestSourceOfTheExecutable(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("binary-sha256:%x", sha256.Sum256(data)); BuildSource() != want {
		t.Errorf("%s, want %s", BuildSource(), want)
	}
}

// Builds without git and make have different identities if their sources differ in one letter,
// and the same identity for the same sources. A stamp takes precedence.
func TestTwoBuilds(t *testing.T) {
	dir := t.TempDir()
	source, err := os.ReadFile("build.go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), "module infbench\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "runners", "provenance", "build.go"), string(source))
	said := func(word string, flags ...string) string {
		write(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"infbench/runners/provenance\"\n\nfunc main() { s := provenance.OwnBuild(); print(s.Version, \" \", s.Source, "+word+"[1:]); for _, f := range s.Assets { print(\" \", f.Name, \" \", f.SHA256) } }\n")
		return output(t, dir, flags...)
	}
	first, second := said(`"a"`), said(`"b"`)
	if !strings.HasPrefix(first, "(devel) binary-sha256:") {
		t.Errorf("a binary without a stamp says %s", first)
	}
	if first == second {
		t.Errorf("two builds of different sources both say %s", first)
	}
	if again := said(`"a"`); again != first {
		t.Errorf("the same sources say %s, then %s", first, again)
	}
	stamp := BuildStamp{Version: "v1", Source: "sha256:00", Assets: []BuildFile{{Name: "a file", SHA256: "0a"}, {Name: "b", SHA256: "0b"}}}
	if got := said(`"a"`, "-ldflags", stamp.Flags()); got != "v1 sha256:00 a file 0a b 0b" {
		t.Errorf("a stamped binary says %s", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// output builds the module in dir and returns the output of its command.
func output(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	binary := filepath.Join(dir, "m.exe")
	cmd := exec.Command("go", append(append([]string{"build", "-buildvcs=false"}, flags...), "-o", binary, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said, err := exec.Command(binary).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// TestAddressOf: only a module path that begins with a host is an address.
func TestAddressOf(t *testing.T) {
	for module, want := range map[string]string{"infbench": "", "": "", "github.com/acme/infbench": "https://github.com/acme/infbench", "acme/infbench": ""} {
		if got := addressOf(module); got != want {
			t.Errorf("%q: %q, want %q", module, got, want)
		}
	}
}
