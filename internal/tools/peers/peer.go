package main

import (
	"context"
	"os/exec"

	"infbench/internal/tools/pyenv"
)

// peer is what sides need besides this program. If locate cannot get it on this machine, the
// error is pyenv.Absent.
type peer struct {
	locate func(ctx context.Context, k *kit) error
}

// The peers.
var (
	python            = &peer{locatePython}
	pythonAndCompiler = &peer{locateCompiler}
	lucene            = &peer{locateLucene}
)

// locatePython makes the Python environment, or finds it in the cache.
func locatePython(ctx context.Context, k *kit) (err error) {
	k.python, err = pyenv.Make(ctx, k.stdout, k.cache, "library", pyenv.Library)
	return err
}

// locateCompiler also looks for the compiler that torch.compile calls.
func locateCompiler(ctx context.Context, k *kit) error {
	if _, err := exec.LookPath("g++"); err != nil {
		return pyenv.Absent{Why: "g++, which torch.compile needs, is not installed"}
	}
	return k.find(ctx, python)
}
