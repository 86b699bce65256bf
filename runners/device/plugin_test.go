package device

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// emptyMachine sets up an empty home and a python3 that imports from one folder and, like every
// python3, from the standard library's.
func emptyMachine(t *testing.T) (home, packages string) {
	t.Helper()
	home, packages = t.TempDir(), filepath.Join(t.TempDir(), "site-packages")
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nprintf '\\n/usr/lib/python3.12\\n%s\\n'\n", packages)
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	touch(t, packages, "numpy/__init__.py")
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("HOME", home)
	for _, name := range []string{pluginPathVariable, libraryVariable, flagsVariable, checksVariable, "CUDA_HOME", "CUDA_PATH"} {
		t.Setenv(name, "")
	}
	return home, packages
}

// wheel writes the relevant files of JAX's and NVIDIA's packages into a folder of packages.
func wheel(t *testing.T, packages string) {
	t.Helper()
	touch(t, packages, "jax_plugins/xla_cuda12/xla_cuda_plugin.so", "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		"nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcublas.so.13", "nvidia/cudnn/lib/libcudnn.so.9", "nvidia/nccl/lib/libnccl.so.2",
		"nvidia/nvshmem/lib/libnvshmem_host.so.3", "nvidia/cu13/"+libdevice)
}

// xla:cuda takes its plugin from PJRT_PLUGIN_LIBRARY_PATH, then from python3's packages, then
// from go-xla's own folder. If there are several versions it takes the highest.
func TestFindCUDA(t *testing.T) {
	home, packages := emptyMachine(t)
	find := func(want string) {
		t.Helper()
		if got, err := findCUDA(); err != nil || got != want {
			t.Errorf("found %q, %v; want %s", got, err, want)
		}
	}
	if exists("/usr/local/lib/go-xla") {
		t.Skip("SKIP: this machine has a plugin of its own")
	}
	_, err := findCUDA()
	for _, want := range []string{pluginPathVariable, "site-packages", home, "/usr/local/lib/go-xla", "pip install"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("nothing there: %v, want %q", err, want)
		}
	}
	touch(t, home, ".local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so")
	find(filepath.Join(home, ".local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so"))
	wheel(t, packages)
	find(filepath.Join(packages, "jax_plugins/xla_cuda13/xla_cuda_plugin.so"))
	first, second := t.TempDir(), t.TempDir()
	touch(t, second, "pjrt-plugin-cuda13.so", "pjrt_c_api_tpu_plugin.so")
	t.Setenv(pluginPathVariable, first+":"+second)
	find(filepath.Join(second, "pjrt-plugin-cuda13.so"))
	touch(t, first, "mine.so")
	t.Setenv(pluginPathVariable, filepath.Join(first, "mine.so"))
	find(filepath.Join(first, "mine.so"))
}

// xla:cpu is offered if go-xla finds its plugin: in the folders of PJRT_PLUGIN_LIBRARY_PATH or,
// if that is not set, in its own folder and the library folders.
func TestOfferCPU(t *testing.T) {
	home, _ := emptyMachine(t)
	libraries := t.TempDir()
	offers := func(want string) {
		t.Helper()
		got := OfferCPU()
		if want == "" && got != "" || !strings.Contains(got, want) || want != "" && strings.Contains(got, "go build -tags xla") == BuiltWithXLA {
			t.Errorf("offers %q, want %q", got, want)
		}
	}
	touch(t, home, ".local/lib/go-xla/pjrt_c_api_cpu_plugin.so")
	offers("") // the variable is set, and names no folder
	os.Unsetenv(pluginPathVariable)
	offers("--device xla:cpu also computes on the processors, with XLA's plugin " + filepath.Join(home, ".local/lib/go-xla/pjrt_c_api_cpu_plugin.so"))
	t.Setenv("HOME", t.TempDir())
	if !exists("/usr/local/lib/go-xla") {
		offers("")
	}
	touch(t, libraries, "pjrt-plugin-cpu.so", "pjrt_c_api_cuda_plugin.so")
	t.Setenv(libraryVariable, "relative:"+libraries)
	offers(filepath.Join(libraries, "pjrt-plugin-cpu.so"))
}

// A folder can be named in place of the plugin in it, also a virtual environment's.
func TestPluginAt(t *testing.T) {
	for _, file := range []string{
		"xla_cuda_plugin.so", "xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		"pjrt_c_api_cuda_plugin.so", "pjrt_c_api_cpu_plugin.so", "pjrt-plugin-tpu.so",
	} {
		dir := filepath.Join(t.TempDir(), "of [all] names?")
		touch(t, dir, file)
		if got, err := pluginAt(dir); err != nil || got != filepath.Join(dir, file) {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
}

// A process starts with NVIDIA's libraries in its search path and CUDA's folder among XLA's
// flags. The user's own settings are kept.
func TestEnvironment(t *testing.T) {
	_, packages := emptyMachine(t)
	wheel(t, packages)
	lib := func(name string) string { return filepath.Join(packages, "nvidia", name, "lib") }
	folders := strings.Join([]string{lib("cu13"), lib("cudnn"), lib("nccl"), lib("nvshmem")}, ":")
	data := "--xla_gpu_cuda_data_dir=" + filepath.Join(packages, "nvidia/cu13")
	elsewhere := t.TempDir()
	touch(t, elsewhere, "xla_cuda_plugin.so", "plain.so")
	check := func(device string, want ...string) {
		t.Helper()
		target, err := ParseTarget(device)
		if err != nil {
			t.Fatal(err)
		}
		got, err := target.lacking("")
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %q, %v; want %q", device, got, err, want)
		}
	}
	check("go")
	check("xla:cpu")
	check(filepath.Join(elsewhere, "plain.so"))
	check("xla:cuda", "LD_LIBRARY_PATH="+folders, "GOPJRT_CUDA_CHECKS=0", "XLA_FLAGS="+data)
	check("xla:cuda:1,deterministic", "LD_LIBRARY_PATH="+folders, "GOPJRT_CUDA_CHECKS=0", "XLA_FLAGS="+data+" --xla_gpu_deterministic_ops=true")
	check(packages, "LD_LIBRARY_PATH="+folders, "GOPJRT_CUDA_CHECKS=0", "XLA_FLAGS="+data)
	check(elsewhere, "LD_LIBRARY_PATH="+folders, "GOPJRT_CUDA_CHECKS=0", "XLA_FLAGS="+data) // python3's

	t.Setenv(libraryVariable, lib("cudnn")+":/opt/lib")
	t.Setenv(flagsVariable, "--xla_gpu_cuda_data_dir=/opt/cuda --xla_dump_to=/tmp/x")
	t.Setenv(checksVariable, "1")
	check("xla:cuda", "LD_LIBRARY_PATH="+strings.Join([]string{lib("cu13"), lib("nccl"), lib("nvshmem"), lib("cudnn"), "/opt/lib"}, ":"))
	t.Setenv(libraryVariable, folders)
	check("xla:cuda") // as it was relaunched
}

// A user's Python packages leave out libraries that are installed for everyone. Libraries that
// are not next to the plugin are found in the other folders that python3 imports from, which
// come last.
func TestLibrariesOfSeveralFolders(t *testing.T) {
	_, packages := emptyMachine(t)
	wheel(t, packages)
	own := t.TempDir()
	touch(t, own, "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "nvidia/cudnn/lib/libcudnn.so.9")
	s := setupFor(filepath.Join(own, "jax_plugins/xla_cuda13/xla_cuda_plugin.so"))
	want := []string{filepath.Join(own, "nvidia/cudnn/lib")}
	for _, name := range []string{"cu13", "cudnn", "nccl", "nvshmem"} {
		want = append(want, filepath.Join(packages, "nvidia", name, "lib"))
	}
	if !slices.Equal(s.libraries, want) || len(s.missing) > 0 || s.data != filepath.Join(packages, "nvidia/cu13") {
		t.Errorf("%+v, want %q", s, want)
	}
}

// A plugin that knows the autotuning flag is given the cache folder.
func TestAutotuned(t *testing.T) {
	elsewhere := t.TempDir()
	write := func(name, text string) Target {
		t.Helper()
		path := filepath.Join(elsewhere, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return Target{kind: pluginKind, plugin: path, card: anyCard}
	}
	t.Setenv(flagsVariable, "")
	name := strings.TrimPrefix(autotuneFlag, "--")
	told := func(target Target) bool {
		list, err := target.variables("/runs/x/autotune")
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(list, func(v string) bool { return strings.HasSuffix(v, autotuneFlag+"=/runs/x/autotune") })
	}
	for _, at := range []int{0, 100, 1<<20 - len(name), 1<<20 - len(name)/2, 3<<20 - 1} {
		if !told(write("cuda_plugin.so", strings.Repeat("x", at)+name+strings.Repeat("y", 1000))) {
			t.Errorf("a plugin with the flag's name at %d is not told", at)
		}
	}
	if told(write("cuda_plugin.so", strings.Repeat(name[:len(name)-1], 1000))) || told(write("tpu_plugin.so", name)) {
		t.Error("a plugin that does not know the flag is told")
	}
}

// The error names the missing libraries and the command that installs them.
func TestLacks(t *testing.T) {
	_, packages := emptyMachine(t)
	wheel(t, packages)
	plugin := filepath.Join(packages, "jax_plugins/xla_cuda13/xla_cuda_plugin.so")
	target := Target{kind: XlaCUDA, card: anyCard}
	if text := target.lacks(plugin); strings.Contains(text, "pip") {
		t.Errorf("of all that there is: %s", text)
	}
	if exists("/usr/local/cuda") {
		t.Skip("SKIP: this machine has CUDA of its own")
	}
	for _, path := range []string{"nvidia/cudnn", "nvidia/cu13/nvvm"} {
		if err := os.RemoveAll(filepath.Join(packages, path)); err != nil {
			t.Fatal(err)
		}
	}
	text := target.lacks(plugin)
	for _, want := range []string{"libcudnn,", cudaPackages, libdevice} {
		if !strings.Contains(text, strings.TrimSuffix(want, ",")) {
			t.Errorf("%s: want %q", text, want)
		}
	}
	if strings.Contains(text, "libnccl") {
		t.Errorf("what is there is missing: %s", text)
	}
}
