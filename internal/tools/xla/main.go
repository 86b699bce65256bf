// Command xla fetches XLA's plugin for processors from PyPI, pinned by hash, and runs make
// device-check with it.
package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"infbench/internal/tools/pyenv"
)

func main() { pyenv.Main("xla", run) }

func run(ctx context.Context, stdout io.Writer, _ []string) error {
	folder, err := pyenv.Folder()
	if err != nil {
		return err
	}
	dir, err := pyenv.Fetch(ctx, stdout, folder, pyenv.Real, "lammps-jax-pjrt-cpu")
	if err != nil {
		return err
	}
	plugin := filepath.Join(dir, "lammps_jax_pjrt_cpu", "pjrt_c_api_cpu_plugin.so")
	check := exec.CommandContext(ctx, "make", "device-check", "PLUGIN="+plugin)
	check.Cancel = func() error { return check.Process.Signal(os.Interrupt) }
	check.Stdout, check.Stderr = stdout, os.Stderr
	return check.Run()
}
