//go:build xla

package device

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/testkit/pjrttest"
	"infbench/runners/results"
	"infbench/training/encoder"
)

// quiet stops go-xla from looking for CUDA's folders.
func quiet(t *testing.T) { t.Setenv(checksVariable, "0") }

// Options reach the new client, and a client has exactly one card.
func TestOptionsReachTheClient(t *testing.T) {
	quiet(t)
	t.Setenv(pjrttest.Devices, "4")
	t.Setenv(flagsVariable, "--xla_gpu_deterministic_ops=true")
	p := pjrttest.New(t)
	b, err := OpenBackend(p.Path + ":2,memory_fraction=0.9,preallocate,deterministic,self_test=false")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	clients := p.Log(t, "client")
	if len(clients) != 1 {
		t.Fatalf("%d clients, want one", len(clients))
	}
	options := clients[0].Options
	if f, _ := options["memory_fraction"].(float64); f < 0.899 || f > 0.901 || options["preallocate"] != true {
		t.Errorf("options %v", options)
	}
	if cards, _ := options["visible_devices"].([]any); len(cards) != 1 || cards[0] != 2.0 {
		t.Errorf("cards %v, want the third", options["visible_devices"])
	}
	if !strings.Contains(clients[0].Flags, "--xla_gpu_deterministic_ops=true") {
		t.Errorf("flags %q", clients[0].Flags)
	}
	if n, text := b.NumDevices(), b.DeviceDescription(0); n != 1 || !strings.Contains(text, "fake card 2") {
		t.Errorf("%d devices, %s", n, text)
	}
}

// Options that are not set are left to the plugin, except memory: go-xla takes as much as it
// needs.
func TestNoOptions(t *testing.T) {
	quiet(t)
	p := pjrttest.New(t)
	b, err := OpenBackend(p.Path + ",self_test=false")
	if err != nil {
		t.Fatal(err)
	}
	b.Finalize()
	if got := p.Log(t, "client")[0].Options; len(got) != 1 || got["preallocate"] != false {
		t.Errorf("options %v", got)
	}
}

// Without XLA's flag the option deterministic would have no effect, so it is refused.
func TestDeterministicNeedsItsFlag(t *testing.T) {
	quiet(t)
	p := pjrttest.New(t)
	for _, flags := range []string{"", "--xla_gpu_deterministic_ops=false"} {
		t.Setenv(flagsVariable, flags)
		if _, err := OpenBackend(p.Path + ",deterministic"); err == nil || !strings.Contains(err.Error(), "--xla_gpu_deterministic_ops=true") {
			t.Errorf("with flags %q: %v", flags, err)
		}
	}
}

// Several devices of a plugin are its cards by number, each with its own client.
func TestSeveralCards(t *testing.T) {
	quiet(t)
	t.Setenv(pjrttest.Devices, "3")
	p := pjrttest.New(t)
	first, others, err := OpenDevices(p.Path+",self_test=false", 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := p.Path + ":0,self_test=false"; first != want || len(others) != 2 {
		t.Errorf("%s and %d others; want %s and two", first, len(others), want)
	}
	for i, c := range p.Log(t, "client") {
		if cards, _ := c.Options["visible_devices"].([]any); len(cards) != 1 || cards[0] != float64(i+1) {
			t.Errorf("client %d has cards %v", i+1, cards)
		}
	}
	if _, _, err := OpenDevices(p.Path+":1", 2); err == nil {
		t.Error("one card is two")
	}
	if _, err := OpenBackend(p.Path + ":3,self_test=false"); err == nil || !strings.Contains(err.Error(), "No visible GPU") {
		t.Errorf("a card that there is not: %v", err)
	}
}

// A device that computes zeros or other wrong values does not open.
func TestZerosAreCaught(t *testing.T) {
	quiet(t)
	p := pjrttest.New(t)
	if _, err := OpenBackend(p.Path); err == nil || !strings.Contains(err.Error(), "it computes zeros") {
		t.Errorf("a plugin that computes zeros: %v", err)
	}
	t.Setenv(pjrttest.Noise, "1")
	if _, err := OpenBackend(pjrttest.New(t).Path); err == nil || !strings.Contains(err.Error(), "the Go backend's") {
		t.Errorf("a plugin that computes noise: %v", err)
	}
	if len(p.Log(t, "execute")) == 0 || len(p.Log(t, "client destroyed")) != 1 {
		t.Errorf("asked of it: %+v", p.Log(t))
	}
}

// The error for a struct that a newer plugin refuses names the struct and both versions.
func TestRefusedStructs(t *testing.T) {
	quiet(t)
	for _, name := range []string{pjrttest.ExecuteOptions, pjrttest.MemoryStats} {
		t.Setenv(pjrttest.Strict, name)
		p := pjrttest.New(t)
		_, err := OpenBackend(p.Path)
		for _, want := range []string{p.Path, "refuses " + name, "PJRT " + headerVersion, "older plugin"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: want %q", err, want)
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %q", err)
		}
	}
}

// An error for lack of memory is recognized, also in the self-test.
func TestOutOfMemoryIsTold(t *testing.T) {
	quiet(t)
	t.Setenv(pjrttest.OOM, "1")
	if _, err := OpenBackend(pjrttest.New(t).Path); !encoder.OutOfMemory(err) {
		t.Error(err)
	}
}

// The error for a library that is not a plugin, or that needs other libraries, names the
// missing parts.
func TestNoPlugin(t *testing.T) {
	quiet(t)
	emptyMachine(t)
	path := filepath.Join(t.TempDir(), "xla_cuda_plugin.so")
	if err := os.WriteFile(path, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := OpenBackend(path)
	for _, want := range []string{"open device " + path, cudaPackages} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// open-device describes a device: plugin with hash, versions, card, memory, self-test.
func TestOpenDeviceTells(t *testing.T) {
	quiet(t)
	fakeSMI(t)
	p := pjrttest.New(t)
	data, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	var out strings.Builder
	if err := Describe(t.Context(), p.Path+",self_test=false", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`plugin +` + regexp.QuoteMeta(p.Path) + `\n`, `SHA-256 +` + hex.EncodeToString(sum[:]) + `\n`, `PJRT +` + headerVersion + ` of the plugin, ` + headerVersion + ` of go-xla`,
		`config +xla:` + regexp.QuoteMeta(p.Path) + `,tf32=false\n`, `client +fake card 0`, `card +NVIDIA H200, driver 580.65.06\n`, `memory +140\.4 GiB\n`, `self-test +off \(self_test=false\)\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("want %s in\n%s", want, &out)
		}
	}
}

// Provenance has the plugin, the versions and the flags, and records that the self-test was
// off.
func TestProvenanceOfACard(t *testing.T) {
	quiet(t)
	asked := fakeSMI(t)
	t.Setenv(flagsVariable, "--xla_gpu_deterministic_ops=true")
	p := pjrttest.New(t)
	o := Options{Device: p.Path + ",deterministic,self_test=false", Meter: &Meter{}}
	b, err := o.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	if _, err := passes(b); err != nil {
		t.Fatal(err)
	}
	for range 6000 { // until nvidia-smi has reported memory
		if time.Sleep(10 * time.Millisecond); exists(asked + ".told") {
			break
		}
	}
	var made results.Provenance
	if err := o.Account(&made); err != nil {
		t.Fatal(err)
	}
	a := made.Accelerator
	if a == nil || a.Plugin != p.Path || len(a.PluginSum) != 64 || a.PJRT != headerVersion || a.Header != headerVersion || a.Flags != os.Getenv(flagsVariable) || !a.Deterministic || !a.Unchecked || a.CompileSeconds <= 0 || a.Programs != len(p.Log(t, "compile")) || a.PeakMemory != 2<<30 {
		t.Errorf("%+v", a)
	}
	if made.Driver != "580.65.06" || !slices.Equal(made.Devices, []string{"NVIDIA H200"}) {
		t.Errorf("driver %q of %q: what /proc does not tell nvidia-smi does", made.Driver, made.Devices)
	}
	if err := o.Describe(&made, encoder.Float32); err != nil || made.Backend != "xla:"+p.Path+",tf32=false,deterministic,self_test=false" {
		t.Errorf("%s, %v", made.Backend, err)
	}
}

// The PJRT version reported for go-xla is that of its header.
func TestHeaderVersion(t *testing.T) {
	quiet(t)
	p := pjrttest.New(t)
	if got := pluginVersion(p.Path); got != headerVersion {
		t.Errorf("built on go-xla's header the fake speaks %s; headerVersion is %s", got, headerVersion)
	}
}

// The fake counts memory as a card would: a buffer until it is destroyed, and both the
// arguments and the results of a program where nothing is aliased.
func TestFakeCounts(t *testing.T) {
	quiet(t)
	p := pjrttest.New(t)
	b, err := OpenBackend(p.Path + ",self_test=false")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	double, err := graph.NewExec(b, func(x *graph.Node) *graph.Node { return graph.Add(x, x) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := double.Call(waves(1000, 1000, 1)); err != nil {
		t.Fatal(err)
	}
	const bytes = 4 * 1000 * 1000
	compiled, run, up := p.Log(t, "compile"), p.Log(t, "execute"), p.Log(t, "upload")
	if len(compiled) != 1 || len(run) != 1 || len(up) != 1 || compiled[0].ArgumentBytes != bytes || compiled[0].ResultBytes != bytes || up[0].Bytes != bytes || run[0].Peak != 2*bytes {
		t.Errorf("%+v\n%+v\n%+v", compiled, run, up)
	}
	if text := p.Program(t, 1); !strings.Contains(text, "stablehlo.add") {
		t.Errorf("the program: %s", text)
	}
	if kinds := p.Log(t); slices.ContainsFunc(kinds, func(c pjrttest.Call) bool { return c.Call == "" }) {
		t.Errorf("%+v", kinds)
	}
}
