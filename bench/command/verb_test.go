package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verbOutput runs a command line that must succeed and returns its output.
func verbOutput(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != exitOK {
		t.Fatalf("infbench %q: exit %d, %s", args, code, stderr.String())
	}
	return stdout.String()
}

// verbFails runs a command line that must exit with code and print want.
func verbFails(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(args, &stdout, &stderr); got != code || !strings.Contains(stderr.String(), want) {
		t.Errorf("infbench %q: exit %d, %q; want %d and %q", args, got, stderr.String(), code, want)
	}
}

// matchesGolden compares output with testdata/name, or a complete path, ignoring spaces at
// the ends of lines. With INFBENCH_UPDATE set it writes the file instead.
func matchesGolden(t *testing.T, name, output string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(output) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	got := strings.Join(lines, "\n") + "\n"
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join("testdata", name)
	}
	if os.Getenv("INFBENCH_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("output differs from %s (INFBENCH_UPDATE=1 writes it):\n%s", path, got)
	}
}

// inFile writes content to a file of that name in a new folder.
func inFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
