// Package pjrttest has a PJRT plugin for tests without a card: it compiles nothing,
// computes zeros, and keeps count of what is asked of it. testdata/plugin.c is the plugin
// and lists the variables that have it fail.
package pjrttest

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/plugin.c
var source string

// Variables that change what the plugin does, in this process and in those it starts.
const (
	Devices = "FAKE_PJRT_DEVICES" // how many there are
	OOM     = "FAKE_PJRT_OOM"     // the executions that run out of memory, counted from 1: "3" or "3,5"
	Delay   = "FAKE_PJRT_DELAY"   // milliseconds that an execution takes
	Bytes   = "FAKE_PJRT_BYTES"   // the memory of all devices together
	Noise   = "FAKE_PJRT_NOISE"   // set: results are noise in place of zeros
	Strict  = "FAKE_PJRT_STRICT"  // the struct that it refuses as too small: ExecuteOptions or MemoryStats
)

// Structs that newer plugins may refuse.
const (
	ExecuteOptions = "PJRT_ExecuteOptions"
	MemoryStats    = "PJRT_Executable_GetCompiledMemoryStats_Args"
)

// Plugin is a copy of the plugin with a log of its own.
type Plugin struct {
	Path   string // of the shared library; go-xla takes it for CUDA's by its name
	folder string
}

// Call is one line of the log; fields that do not belong to a call are zero.
type Call struct {
	Call        string         `json:"call"` // client, compile, upload, execute, out of memory, download, program destroyed, client destroyed
	Options     map[string]any `json:"options"`
	Flags       string         `json:"xla_flags"` // XLA_FLAGS as a client is made
	LibraryPath string         `json:"library_path"`

	Program       int   `json:"program"` // counted from 1; its text is Program(n)
	Arguments     int   `json:"arguments"`
	ArgumentBytes int64 `json:"argument_bytes"`
	Results       int   `json:"results"`
	ResultBytes   int64 `json:"result_bytes"`
	Donors        int   `json:"donors"`  // arguments with jax.buffer_donor
	Aliases       int   `json:"aliases"` // arguments with tf.aliasing_output

	Execution    int   `json:"execution"` // counted from 1 in the process
	Donatable    int   `json:"donatable"` // arguments that the caller gives away
	AliasedBytes int64 `json:"aliased_bytes"`
	Live         int64 `json:"live"` // bytes of all buffers afterwards
	Peak         int64 `json:"peak"` // most of them so far

	Bytes  int64 `json:"bytes"`
	Device int   `json:"device"` // that an upload goes to
}

// New is a fresh copy of the plugin in a temporary folder. Without gcc or the header of
// go-xla the test is skipped.
func New(t testing.TB) *Plugin { return In(t, t.TempDir(), "fake_cuda_plugin.so") }

// In is New in a folder and under a name of the caller's.
func In(t testing.TB, folder, name string) *Plugin {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("SKIP: no fake PJRT plugin: ", err)
	}
	header, err := headerFolder()
	if err != nil {
		t.Skip("SKIP: no fake PJRT plugin: ", err)
	}
	library, err := compiled(header)
	if err != nil {
		t.Fatal(err)
	}
	p := &Plugin{Path: filepath.Join(folder, name), folder: folder}
	if err := os.WriteFile(p.Path, library, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// headerFolder is where go-xla has PJRT's header in the module cache.
func headerFolder() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	if err != nil {
		return "", fmt.Errorf("go list finds no go-xla: %w", err)
	}
	module := strings.TrimSpace(string(out))
	if module == "" {
		return "", errors.New("go-xla is not in the module cache; go mod download github.com/gomlx/go-xla brings it")
	}
	return filepath.Join(module, "pjrt"), nil
}

// compiled is the plugin as a shared library.
func compiled(header string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "pjrttest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "plugin.so")
	gcc := exec.Command("gcc", "-O1", "-shared", "-fPIC", "-I", header, "-x", "c", "-o", out, "-")
	gcc.Stdin = strings.NewReader(source)
	if said, err := gcc.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w\n%s", err, said)
	}
	return os.ReadFile(out)
}

// Log is what was asked of the plugin so far, in order; of one call where kind is given.
func (p *Plugin) Log(t testing.TB, kind ...string) []Call {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.folder, "log"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1] // a line that crosses a page is seen in two parts while it is written
	var list []Call
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c Call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("log of the fake plugin: %v in %s", err, lines.Bytes())
		}
		if len(kind) == 0 || c.Call == kind[0] {
			list = append(list, c)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// Program is the text of the n-th program, StableHLO, counted from 1.
func (p *Plugin) Program(t testing.TB, n int) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.folder, fmt.Sprintf("%03d.mlir", n)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Forget empties the log; what is counted goes on.
func (p *Plugin) Forget(t testing.TB) {
	t.Helper()
	if err := os.Remove(filepath.Join(p.folder, "log")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}
