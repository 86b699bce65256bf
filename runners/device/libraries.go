package device

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Variables that a process must have when it starts to compute on a card: the loader
// reads its own before main, and XLA its flags once, with the plugin.
const (
	libraryVariable = "LD_LIBRARY_PATH"
	flagsVariable   = "XLA_FLAGS"
	checksVariable  = "GOPJRT_CUDA_CHECKS" // go-xla's own search, which knows another layout of folders
)

const (
	dataFlag          = "--xla_gpu_cuda_data_dir"
	deterministicFlag = "--xla_gpu_deterministic_ops"
	// What is autotuned can be kept, programs cannot: of PJRT_Executable_Serialize and
	// DeserializeAndLoad go-xla v0.4.1 has C declarations alone (pjrt/gen_api_calls.h), no
	// method, and keeps the pointers that they take to itself.
	autotuneFlag = "--xla_gpu_per_fusion_autotune_cache_dir"
)

// libdevice is the file by which XLA knows CUDA's folder.
const libdevice = "nvvm/libdevice/libdevice.10.bc"

// cudaSetup is what a plugin of CUDA needs of the machine besides the driver.
type cudaSetup struct {
	libraries []string // folders with NVIDIA's
	data      string   // with libdevice; "": not found
	missing   []string // libraries that no folder has
}

// setupFor looks for NVIDIA's libraries: beside the plugin, and where some are not there
// also in the folders that python3 imports from, as pip leaves out what another of them has.
func setupFor(plugin string) cudaSetup {
	folder := filepath.Dir(plugin)
	bases := []string{filepath.Dir(filepath.Dir(folder)), folder, filepath.Dir(folder)} // site-packages, go-xla's
	s := cudaSetup{libraries: nvidiaFolders(bases), data: dataFolder(bases)}
	lacking := func() []string { return missingLibraries(append(slices.Clone(s.libraries), loaderFolders()...)) }
	if s.missing = lacking(); len(s.missing) > 0 || len(s.libraries) == 0 || s.data == "" {
		python, _ := pythonFolders()
		for _, base := range python {
			for _, folder := range nvidiaFolders([]string{base}) {
				if !slices.Contains(s.libraries, folder) {
					s.libraries = append(s.libraries, folder)
				}
			}
		}
		s.data, s.missing = dataFolder(append(bases, python...)), lacking()
	}
	return s
}

// nvidiaFolders are the folders of libraries of the first base that has some.
func nvidiaFolders(bases []string) []string {
	for _, base := range bases {
		found, _ := filepath.Glob(filepath.Join(literal(base), "nvidia", "*", "lib"))
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// dataFolder is CUDA's folder: that of the Python packages, the plugin's own, else the
// machine's.
func dataFolder(bases []string) string {
	var folders []string
	for _, base := range bases {
		packages, _ := filepath.Glob(filepath.Join(literal(base), "nvidia", "*"))
		folders = append(append(folders, packages...), base)
	}
	folders = append(folders, os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda")
	for _, folder := range folders {
		if folder != "" && isFile(filepath.Join(folder, libdevice)) {
			return folder
		}
	}
	return ""
}

// loaderFolders are those in which the loader looks by itself.
func loaderFolders() []string {
	usual := []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/cuda/lib64"}
	return append(filepath.SplitList(os.Getenv(libraryVariable)), usual...)
}

// missingLibraries are those that JAX loads before its plugin and no folder has.
func missingLibraries(folders []string) (missing []string) {
	for _, name := range []string{"libcudart", "libcublas", "libcudnn", "libnccl", "libnvshmem_host"} {
		if inFolders(folders, name+".so*") == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// inFolders is the first file of a pattern in a list of folders; "" if there is none.
func inFolders(folders []string, pattern string) string {
	for _, folder := range folders {
		if found := inFolder(folder, []string{pattern}); found != "" {
			return found
		}
	}
	return ""
}

// variables lists the variables, NAME=VALUE, that a process has to be started with to
// compute on the device, each with what it has now; nil for devices that need none. What
// XLA finds to be fast is kept in a folder, where one is named.
func (t Target) variables(autotuned string) ([]string, error) {
	plugin, err := t.locate()
	if err != nil || t.kind == GoDevice {
		return nil, err
	}
	var list []string
	flags := os.Getenv(flagsVariable)
	if t.cuda() {
		s := setupFor(plugin)
		if path := prepend(s.libraries, os.Getenv(libraryVariable)); path != "" {
			list = append(list, libraryVariable+"="+path)
		}
		if s.data != "" {
			flags = withFlag(flags, dataFlag, s.data)
		}
		list = append(list, checksVariable+"="+cmp.Or(os.Getenv(checksVariable), "0"))
		if autotuned != "" && knowsFlag(plugin, autotuneFlag) {
			flags = withFlag(flags, autotuneFlag, autotuned)
		}
	}
	if t.tuning.deterministic {
		flags = withFlag(flags, deterministicFlag, "true")
	}
	if flags != "" {
		list = append(list, flagsVariable+"="+flags)
	}
	return list, nil
}

// lacking are those of the variables that this process has not been started with.
func (t Target) lacking(autotuned string) ([]string, error) {
	list, err := t.variables(autotuned)
	return slices.DeleteFunc(list, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return os.Getenv(name) == value
	}), err
}

// prepend puts folders that a search path lacks before it.
func prepend(folders []string, path string) string {
	have := filepath.SplitList(path)
	var list []string
	for _, folder := range folders {
		if !slices.Contains(have, folder) {
			list = append(list, folder)
		}
	}
	if len(list) == 0 {
		return path
	}
	return strings.Join(append(list, have...), string(filepath.ListSeparator))
}

// withFlag adds a flag to XLA's unless it is among them, whatever its value.
func withFlag(flags, name, value string) string {
	if hasFlag(flags, name) {
		return flags
	}
	return strings.TrimSpace(flags + " " + name + "=" + value)
}

// hasFlag says whether a flag is among XLA's, with one of the values if some are named; a
// flag without one has "".
func hasFlag(flags, name string, values ...string) bool {
	return slices.ContainsFunc(strings.Fields(flags), func(f string) bool {
		given, value, _ := strings.Cut(f, "=")
		return given == name && (len(values) == 0 || slices.Contains(values, value))
	})
}

// knowsFlag says whether a plugin has the name of a flag of XLA's in it: one that it does
// not know ends the process.
func knowsFlag(plugin, flag string) bool {
	f, err := os.Open(plugin)
	if err != nil {
		return false
	}
	defer f.Close()
	name := []byte(strings.TrimPrefix(flag, "--"))
	buffer, kept := make([]byte, 1<<20), 0
	for {
		n, err := f.Read(buffer[kept:])
		if bytes.Contains(buffer[:kept+n], name) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(buffer, buffer[max(0, kept+n-len(name)):kept+n])
	}
}
