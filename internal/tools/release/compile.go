package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
	"infbench/runners/provenance"
)

// again builds the command a second time, only from the hashed sources, in another folder and
// without Go's cache, and compares it with the first. That takes minutes; it shows that the
// hash covers everything a binary depends on.
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

// sameFiles returns an error if two files differ.
func sameFiles(a, b string) error {
	var sums [2]string
	for i, path := range []string{a, b} {
		var err error
		if sums[i], _, err = disk.SHA256(path); err != nil {
			return err
		}
	}
	if sums[0] != sums[1] {
		return fmt.Errorf("the same sources gave two binaries, SHA-256 %s and %s", sums[0], sums[1])
	}
	return nil
}

// compile builds the command of a module for a target; more are variables for the go
// command.
func compile(ctx context.Context, module string, to target, stamp provenance.BuildStamp, binary string, more ...string) error {
	cmd := goBuild(ctx, module, stamp, binary, "-trimpath")
	cmd.Env = append(to.environment(), more...)
	_, err := output(cmd)
	return err
}

// goBuild returns the go command that builds the command of a module with a stamp.
func goBuild(ctx context.Context, module string, stamp provenance.BuildStamp, binary string, flags ...string) *exec.Cmd {
	args := slices.Concat([]string{"build", "-buildvcs=false", "-ldflags", stamp.Flags(), "-o", binary}, flags, []string{command})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = module
	return cmd
}

// here builds the command for this machine, with the caller's settings.
func (t *tree) here(ctx context.Context, binary, tags string, stderr io.Writer) error {
	cmd := goBuild(ctx, t.module, t.stamp, binary, "-tags", tags)
	cmd.Stderr = stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	if err := t.unchanged(ctx); err != nil {
		return errors.Join(err, os.Remove(binary))
	}
	return nil
}

// unchanged returns an error if the sources have changed since they were read: a binary built
// since may not match its stamp.
func (t *tree) unchanged(ctx context.Context) error {
	now, err := treeOf(ctx, t.module)
	if err == nil && now.stamp.Source != t.stamp.Source {
		err = errors.New("the sources changed while they were built; build again")
	}
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
