package main

import (
	"context"
	"embed"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"infbench/internal/tools/pyenv"
)

// scripts are the peers' sides.
//
//go:embed theirs
var scripts embed.FS

// kit holds the paths of the programs that run the sides.
type kit struct {
	settings *settings
	stdout   io.Writer
	work     string // of this comparison, deleted after it
	self     string // this program
	theirs   string // folder of the peers' scripts

	cache string // folder of Python environments, packages and jars

	found  map[*peer]error
	python string // of the environment with the libraries
	lucene string // class path of its jars and our side's class
}

// newKit unpacks the scripts.
func (s *settings) newKit(work string, stdout io.Writer) (*kit, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cache, err := pyenv.Folder()
	if err != nil {
		return nil, err
	}
	k := &kit{settings: s, stdout: stdout, work: work, self: self, theirs: filepath.Join(work, "theirs"), cache: cache, found: map[*peer]error{}}
	sub, err := fs.Sub(scripts, "theirs")
	if err != nil {
		return nil, err
	}
	return k, os.CopyFS(k.theirs, sub)
}

// environment returns the variables that scripts need apart from threads. Python and PyTorch
// keep compiled code in the folder of this comparison, for the next turn.
func (k *kit) environment() []string {
	return []string{
		"PYTHONPYCACHEPREFIX=" + filepath.Join(k.work, "pycache"), "TORCHINDUCTOR_CACHE_DIR=" + filepath.Join(k.work, "inductor"),
		"TORCHINDUCTOR_COMPILE_THREADS=1", "HF_HUB_OFFLINE=1",
	}
}

// find looks for a peer, once.
func (k *kit) find(ctx context.Context, p *peer) error {
	err, known := k.found[p]
	if !known {
		err = p.locate(ctx, k)
		k.found[p] = err
	}
	return err
}
