package device

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environment variables that must be set before a process starts to compute on a card: the
// loader reads its own before main, and XLA reads its flags once, with the plugin.
const (
	libraryVariable = "LD_LIBRARY_PATH"
	flagsVariable   = "XLA_FLAGS"
	checksVariable  = "GOPJRT_CUDA_CHECKS" // go-xla's own search, which expects another layout of folders
)

const (
	dataFlag          = "--xla_gpu_cuda_data_dir"
	deterministicFlag = "--xla_gpu_deterministic_ops"
	// Autotuning results can be cached, compiled programs cannot: go-xla v0.4.1 only has the C
	// declarations of PJRT_Executable_Serialize and DeserializeAndLoad (pjrt/gen_api_calls.h),
	// has no method for them, and does not export the pointers that they take.
	autotuneFlag = "--xla_gpu_per_fusion_autotune_cache_dir"
)

// libdevice is the file by which XLA recognizes CUDA's folder.
const libdevice = "nvvm/libdevice/libdevice.10.bc"

// cudaSetup lists what a CUDA plugin needs on the machine besides the driver.
type cudaSetup struct {
	libraries []string // folders with NVIDIA's libraries
	data      string   // folder with libdevice; "": not found
	missing   []string // libraries that were not found in any folder
}

// setupFor looks for NVIDIA's libraries in the folders around the plugin. If some are missing,
// it also looks in the folders that python3 imports from, because pip does not install again
// what another of them already has.
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

// nvidiaFolders returns the library folders of the first base that has any.
func nvidiaFolders(bases []string) []string {
	for _, base := range bases {
		found, _ := filepath.Glob(filepath.Join(literal(base), "nvidia", "*", "lib"))
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// dataFolder returns CUDA's folder: from the Python packages, else the plugin's own, else the
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

// loaderFolders returns the folders that the loader searches by default.
func loaderFolders() []string {
	usual := []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/cuda/lib64"}
	return append(filepath.SplitList(os.Getenv(libraryVariable)), usual...)
}

// missingLibraries lists the libraries that JAX loads before its plugin and that no folder has.
func missingLibraries(folders []string) (missing []string) {
	for _, name := range []string{"libcudart", "libcublas", "libcudnn", "libnccl", "libnvshmem_host"} {
		if inFolders(folders, name+".so*") == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// inFolders returns the first file in a list of folders that matches a pattern, or "".
func inFolders(folders []string, pattern string) string {
	for _, folder := range folders {
		if found := inFolder(folder, []string{pattern}); found != "" {
			return found
		}
	}
	return ""
}

// variables lists the variables, as NAME=VALUE, that a process needs at its start to compute on
// the device. Each keeps its current value and adds to it. The list is nil for devices that
// need none. If a folder autotuned is named, XLA keeps its autotuning results there.
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

// lacking returns the variables that this process was not started with.
func (t Target) lacking(autotuned string) ([]string, error) {
	list, err := t.variables(autotuned)
	return slices.DeleteFunc(list, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return os.Getenv(name) == value
	}), err
}

// prepend adds the folders that a search path lacks, at its front.
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

// withFlag adds a flag to XLA's flags unless it is already set to any value.
func withFlag(flags, name, value string) string {
	if hasFlag(flags, name) {
		return flags
	}
	return strings.TrimSpace(flags + " " + name + "=" + value)
}

// hasFlag reports whether XLA's flags contain a flag, with one of the values if any are given.
// A flag without a value has the value "".
func hasFlag(flags, name string, values ...string) bool {
	return slices.ContainsFunc(strings.Fields(flags), func(f string) bool {
		given, value, _ := strings.Cut(f, "=")
		return given == name && (len(values) == 0 || slices.Contains(values, value))
	})
}

// knowsFlag reports whether a plugin file contains the name of an XLA flag. An unknown flag
// would end the process.
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
