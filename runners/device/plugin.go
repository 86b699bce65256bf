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

// pluginPathVariable names the variable that lists folders or files to look in, separated by
// colons.
const pluginPathVariable = "PJRT_PLUGIN_LIBRARY_PATH"

// cudaPackages is the command that installs CUDA's plugin and NVIDIA's libraries.
const cudaPackages = `python3 -m pip install "jax-cuda13-plugin[with-cuda]"`

// cudaPlugin lists the patterns of CUDA's plugin in a folder: among other libraries under JAX's
// or go-xla's name, or in a folder of Python packages, the highest version first.
func cudaPlugin() []string {
	const wheel = "xla_cuda1?/xla_cuda_plugin.so"
	return []string{
		"xla_cuda_plugin.so", "pjrt_c_api_cuda*_plugin.so", "pjrt?plugin?cuda*.so",
		wheel, "jax_plugins/" + wheel, "lib/python3*/site-packages/jax_plugins/" + wheel,
	}
}

// anyPlugin lists the patterns of a plugin in a folder that the user named.
func anyPlugin() []string {
	return append(cudaPlugin(), "pjrt_c_api_*_plugin.so", "pjrt?plugin?*.so")
}

// inFolder returns the first file that the patterns match; if one pattern matches several
// files, it takes the last by name. It returns "" if there is none.
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

// literal escapes the characters of a folder's name that have a meaning in a pattern.
func literal(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

// place is a location to search for a plugin.
type place struct {
	name    string // as errors show it
	folders []string
}

// cudaPlaces returns the locations that xla:cuda searches for its plugin, in order.
func cudaPlaces() []place {
	python, pythonName := pythonFolders()
	own := "/usr/local/lib/go-xla"
	places := []place{{"$" + pluginPathVariable, filepath.SplitList(os.Getenv(pluginPathVariable))}, {pythonName, python}}
	if home, err := os.UserHomeDir(); err == nil {
		theirs := filepath.Join(home, ".local", "lib", "go-xla")
		places = append(places, place{theirs, []string{theirs, filepath.Join(theirs, "nvidia")}})
	}
	return append(places, place{own, []string{own, filepath.Join(own, "nvidia")}})
}

// findCUDA returns the plugin of the first location that has one.
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

// cpuFolders returns the folders where go-xla looks for xla:cpu's plugin, except the system's.
func cpuFolders() (folders []string) {
	if named, given := os.LookupEnv(pluginPathVariable); given {
		return filepath.SplitList(named)
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".local", "lib", "go-xla"))
	}
	return slices.Concat(folders, []string{"/usr/local/lib/go-xla"}, filepath.SplitList(os.Getenv(libraryVariable)))
}

// OfferCPU returns a hint to compute on the processors with XLA in place of the Go backend, if
// XLA's plugin is on this machine, or "".
func OfferCPU() string {
	for _, folder := range cpuFolders() {
		found := inFolder(folder, []string{"pjrt_c_api_cpu_plugin.so", "pjrt-plugin-cpu.so", "pjrt_plugin_cpu.so"})
		if !filepath.IsAbs(found) {
			continue
		}
		offer := fmt.Sprintf("--device %s also computes on the processors, with XLA's plugin %s", XlaCPU, found)
		if !BuiltWithXLA {
			offer += "; it needs a binary built with " + buildWithXLA
		}
		return offer
	}
	return ""
}

// buildWithXLA is the command that builds a binary with support for plugins.
const buildWithXLA = "CGO_ENABLED=1 go build -tags xla -o bin/infbench ./bench"

// pythonFolders returns the folders that python3 imports from, including its site-packages, and
// their name for messages.
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

// locate returns the plugin's path, or "" if go-xla finds it by itself, as for xla:cpu.
func (t Target) locate() (string, error) {
	if t.kind == XlaCUDA {
		return findCUDA()
	}
	return t.plugin, nil
}
