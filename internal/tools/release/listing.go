package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// target is the platform of a binary.
type target struct {
	OS, Arch string
}

// targets are the platforms of archives.
var targets = []target{
	{OS: "linux", Arch: "amd64"},
	{OS: "linux", Arch: "arm64"},
	{OS: "darwin", Arch: "arm64"},
}

func (t target) String() string { return t.OS + "-" + t.Arch }

// environment is the environment of the go command, without any of the caller's settings that
// could change the binary.
func (t target) environment() []string {
	return append(os.Environ(), "GOOS="+t.OS, "GOARCH="+t.Arch, "GOEXPERIMENT=", "CGO_ENABLED=0",
		"GOFLAGS=-mod=readonly", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GO_EXTLINK_ENABLED=0")
}

// command is the package of the binary.
const command = "./bench"

// linked is a package of the binary, from go list.
type linked struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version string }
	}
	GoFiles, CgoFiles, CFiles, HFiles, SFiles, SysoFiles []string
	IgnoredGoFiles, IgnoredOtherFiles, EmbedFiles        []string
	ImportMap                                            map[string]string
}

// ours reports whether the package is in this module.
func (p *linked) ours() bool { return p.Module != nil && p.Module.Main }

// packagesOf lists the packages that the binary for a target links, in the module of a
// folder.
func packagesOf(ctx context.Context, dir string, t target) ([]linked, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps",
		"-json=ImportPath,Dir,Standard,Module,GoFiles,CgoFiles,CFiles,HFiles,SFiles,SysoFiles,IgnoredGoFiles,IgnoredOtherFiles,EmbedFiles,ImportMap", command)
	cmd.Dir, cmd.Env = dir, t.environment()
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	var all []linked
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linked
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, p)
	}
}

// sources returns the files of a package that go into a binary on some platform, relative to
// the folder of the module. Tests are left out.
func (p *linked) sources(module string) ([]string, error) {
	all := slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.HFiles, p.SFiles, p.SysoFiles, p.IgnoredGoFiles, p.IgnoredOtherFiles, p.EmbedFiles)
	all = slices.DeleteFunc(all, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	return p.within(module, all)
}

// within returns the paths of files relative to the folder of the module, with slashes.
func (p *linked) within(module string, files []string) ([]string, error) {
	var names []string
	for _, name := range files {
		name, err := filepath.Rel(module, filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		names = append(names, filepath.ToSlash(name))
	}
	return names, nil
}

// output runs a command; its error includes the command's output.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args[:min(3, len(cmd.Args))], " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// sorted returns the keys of a set in order.
func sorted[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
