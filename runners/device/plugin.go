package device

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pluginPathVariable lists folders (or files) to look in, separated by colons.
const pluginPathVariable = "PJRT_PLUGIN_LIBRARY_PATH"

// cudaPackages is the command that brings CUDA's plugin and NVIDIA's libraries.
const cudaPackages = `python3 -m pip install "jax-cuda13-plugin[with-cuda]"`

// cudaPlugin lists where a folder may have CUDA's plugin: beside other libraries under
// JAX's or go-xla's name, or as a folder of Python packages, the highest version first.
func cudaPlugin() []string {
	const wheel = "xla_cuda1?/xla_cuda_plugin.so"
	return []string{
		"xla_cuda_plugin.so", "pjrt_c_api_cuda*_plugin.so", "pjrt?plugin?cuda*.so",
		wheel, "jax_plugins/" + wheel, "lib/python3*/site-packages/jax_plugins/" + wheel,
	}
}

// anyPlugin lists where a folder that was named may have a plugin.
func anyPlugin() []string {
	return append(cudaPlugin(), "pjrt_c_api_*_plugin.so", "pjrt?plugin?*.so")
}

// inFolder is the first file that the patterns find, and of several of one pattern the
// last by name; "" if there is none.
func inFolder(folder string, patterns []string) string {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(literal(folder), pattern))
		found = slices.DeleteFunc(found, func(path string) bool { return !isFile(path) })
		if len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// literal quotes what a folder's name has of a pattern.
func literal(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

// place is where a plugin is looked for.
type place struct {
	name    string // as errors tell it
	folders []string
}

// cudaPlaces are where xla:cuda looks for its plugin, in that order.
func cudaPlaces() []place {
	python, told := pythonFolders()
	own := "/usr/local/lib/go-xla"
	places := []place{{"$" + pluginPathVariable, filepath.SplitList(os.Getenv(pluginPathVariable))}, {told, python}}
	if home, err := os.UserHomeDir(); err == nil {
		theirs := filepath.Join(home, ".local", "lib", "go-xla")
		places = append(places, place{theirs, []string{theirs, filepath.Join(theirs, "nvidia")}})
	}
	return append(places, place{own, []string{own, filepath.Join(own, "nvidia")}})
}

// findCUDA is the plugin of the first place that has one.
func findCUDA() (string, error) {
	var looked []string
	for _, p := range cudaPlaces() {
		for _, folder := range p.folders {
			found := inFolder(folder, cudaPlugin())
			if isFile(folder) {
				found = folder
			}
			if found != "" {
				return filepath.Abs(found)
			}
		}
		looked = append(looked, p.name)
	}
	return "", fmt.Errorf("no PJRT plugin for CUDA in %s; %s brings one, or name its path as the device", strings.Join(looked, ", "), cudaPackages)
}

// cpuFolders are where go-xla looks for xla:cpu's plugin, but for the system's own.
func cpuFolders() (folders []string) {
	if named, given := os.LookupEnv(pluginPathVariable); given {
		return filepath.SplitList(named)
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".local", "lib", "go-xla"))
	}
	return slices.Concat(folders, []string{"/usr/local/lib/go-xla"}, filepath.SplitList(os.Getenv(libraryVariable)))
}

// OfferCPU says how processors compute with XLA in place of the Go backend, where its
// plugin lies about; "" where none does.
func OfferCPU() string {
	for _, folder := range cpuFolders() {
		found := inFolder(folder, []string{"pjrt_c_api_cpu_plugin.so", "pjrt-plugin-cpu.so", "pjrt_plugin_cpu.so"})
		if !filepath.IsAbs(found) {
			continue
		}
		offer := fmt.Sprintf("--device %s computes on the processors, too, with XLA's plugin %s", XlaCPU, found)
		if !BuiltWithXLA {
			offer += "; that takes a binary that " + buildWithXLA + " builds"
		}
		return offer
	}
	return ""
}

// buildWithXLA is the command that builds a binary which can load plugins.
const buildWithXLA = "CGO_ENABLED=1 go build -tags xla -o bin/infbench ./bench"

// pythonFolders are the folders that python3 imports from, its site-packages among them,
// and how they are named.
func pythonFolders() (folders []string, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "python3", "-c", `import sys; print("\n".join(sys.path))`).Output()
	if err != nil {
		return nil, "python3's site-packages (there is no python3)"
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); filepath.IsAbs(line) {
			folders = append(folders, line)
		}
	}
	return folders, "python3's site-packages"
}

// locate is the plugin's path; "" where go-xla finds it by itself, as that of xla:cpu.
func (t Target) locate() (string, error) {
	if t.kind == XlaCUDA {
		return findCUDA()
	}
	return t.plugin, nil
}
