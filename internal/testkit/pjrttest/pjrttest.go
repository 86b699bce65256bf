// Package pjrttest has a PJRT plugin for tests without an accelerator: it compiles nothing,
// computes zeros, and logs all calls. testdata/plugin.c is the plugin and lists the variables
// that make it fail.
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

// Variables that change the plugin's behaviour, in this process and in its child processes.
const (
	Devices = "FAKE_PJRT_DEVICES" // number of devices
	OOM     = "FAKE_PJRT_OOM"     // the executions that run out of memory, counted from 1: "3" or "3,5"
	Delay   = "FAKE_PJRT_DELAY"   // milliseconds that an execution takes
	Bytes   = "FAKE_PJRT_BYTES"   // the memory of all devices together
	Noise   = "FAKE_PJRT_NOISE"   // if set, results are noise instead of zeros
	Strict  = "FAKE_PJRT_STRICT"  // the struct that it rejects as too small: ExecuteOptions or MemoryStats
)

// Structs that newer plugins may reject.
const (
	ExecuteOptions = "PJRT_ExecuteOptions"
	MemoryStats    = "PJRT_Executable_GetCompiledMemoryStats_Args"
)

// Plugin is a copy of the plugin with its own log.
type Plugin struct {
	Path   string // of the shared library; by its name go-xla treats it as CUDA's
	folder string
}

// Call is one line of the log; fields that do not belong to a call are zero.
type Call struct {
	Call        string         `json:"call"` // client, compile, upload, execute, out of memory, download, program destroyed, client destroyed
	Options     map[string]any `json:"options"`
	Flags       string         `json:"xla_flags"` // XLA_FLAGS when a client is created
	LibraryPath string         `json:"library_path"`

	Program       int   `json:"program"` // counted from 1; its text is Program(n)
	Arguments     int   `json:"arguments"`
	ArgumentBytes int64 `json:"argument_bytes"`
	Results       int   `json:"results"`
	ResultBytes   int64 `json:"result_bytes"`
	Donors        int   `json:"donors"`  // arguments with jax.buffer_donor
	Aliases       int   `json:"aliases"` // arguments with tf.aliasing_output

	Execution    int   `json:"execution"` // counted from 1 in the process
	Donatable    int   `json:"donatable"` // arguments that the caller donates
	AliasedBytes int64 `json:"aliased_bytes"`
	Live         int64 `json:"live"` // bytes of all buffers afterwards
	Peak         int64 `json:"peak"` // the largest Live so far

	Bytes  int64 `json:"bytes"`
	Device int   `json:"device"` // target of an upload
}

// New returns a fresh copy of the plugin in a temporary folder. Without gcc or the header of
// go-xla the test is skipped.
func New(t testing.TB) *Plugin { return In(t, t.TempDir(), "fake_cuda_plugin.so") }

// In is New in the caller's folder and under the caller's name.
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

// headerFolder returns the folder of PJRT's header in go-xla's module in the cache.
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

// compiled returns the plugin as a shared library.
func compiled(header string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "pjrttest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "plugin.so")
	gcc := exec.Command("gcc", "-O1", "-shared", "-fPIC", "-I", header, "-x", "c", "-o", out, "-")
	gcc.Stdin = strings.NewReader(source)
	if output, err := gcc.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w\n%s", err, output)
	}
	return os.ReadFile(out)
}

// Log returns the calls of the plugin so far, in order; if kind is given, only calls of that
// kind.
func (p *Plugin) Log(t testing.TB, kind ...string) []Call {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.folder, "log"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1] // a line that crosses a page may be incomplete while it is written
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

// Program returns the text of the n-th program, StableHLO, counted from 1.
func (p *Plugin) Program(t testing.TB, n int) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.folder, fmt.Sprintf("%03d.mlir", n)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Forget empties the log; the plugin's counters continue.
func (p *Plugin) Forget(t testing.TB) {
	t.Helper()
	if err := os.Remove(filepath.Join(p.folder, "log")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}
