package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"infbench/bench/build"
)

// again builds the command a second time, from nothing but the sources that the hash is
// of, in another folder and without Go's cache, and compares it with the first. That
// takes minutes; it shows that the hash covers all that a binary depends on.
func (t *tree) again(ctx context.Context, to target, first string) (err error) {
	temporary, err := os.MkdirTemp("", "infbench-again-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	module, second := filepath.Join(temporary, "sources"), filepath.Join(temporary, "infbench")
	if err := t.copyTo(module); err != nil {
		return err
	}
	if err := compile(ctx, module, to, t.stamp, second, "GOCACHE="+filepath.Join(temporary, "cache")); err != nil {
		return err
	}
	return sameFiles(first, second)
}

// sameFiles is an error where two files differ.
func sameFiles(a, b string) error {
	var sums [2]string
	for i, path := range []string{a, b} {
		var err error
		if sums[i], err = sumOf(path); err != nil {
			return err
		}
	}
	if sums[0] != sums[1] {
		return fmt.Errorf("the same sources gave two binaries, SHA-256 %s and %s", sums[0], sums[1])
	}
	return nil
}

// compile builds the command of a module; more are variables for the go command.
func compile(ctx context.Context, module string, to target, stamp build.Stamp, binary string, more ...string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", stamp.Flags(), "-o", binary, command)
	cmd.Dir, cmd.Env = module, append(to.environment(), more...)
	_, err := output(cmd)
	return err
}

// copyTo copies the sources to a folder.
func (t *tree) copyTo(dir string) error {
	for _, name := range t.files {
		data, err := os.ReadFile(filepath.Join(t.module, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
