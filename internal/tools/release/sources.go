package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infbench/internal/disk"
	"infbench/runners/provenance"
)

// sourceFiles returns all files of this module from which its binary is built, in order: the
// Go and assembly files of the linked packages for every platform, the files they embed
// (including the chart script, which git ignores), go.mod, and go.sum, which pins the
// modules.
func sourceFiles(packages []linked, module string) ([]string, error) {
	names := []string{"go.mod", "go.sum"}
	for _, p := range packages {
		if !p.ours() {
			continue
		}
		of, err := p.sources(module)
		if err != nil {
			return nil, err
		}
		names = append(names, of...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// hashFiles hashes files in the folder of the module.
func hashFiles(module string, names []string) ([]provenance.BuildFile, error) {
	files := make([]provenance.BuildFile, len(names))
	for i, name := range names {
		sum, _, err := disk.SHA256(filepath.Join(module, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files[i] = provenance.BuildFile{Name: name, SHA256: sum}
	}
	return files, nil
}

// sourceHash is the SHA-256 of a list of the files with their hashes, the same as from
// "sha256sum FILES | sha256sum".
func sourceHash(files []provenance.BuildFile) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s  %s\n", f.SHA256, f.Name)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// tree is a folder with the sources of infbench, and the stamp of a build of them.
type tree struct {
	module string // the folder
	files  []string
	made   time.Time // time of its commit
	stamp  provenance.BuildStamp
}

// plain lists the sources: any target can, since files for other platforms are listed too.
var plain = target{OS: "linux", Arch: "amd64"}

// treeOf reads the sources of a module.
func treeOf(ctx context.Context, module string) (*tree, error) {
	packages, err := packagesOf(ctx, module, plain)
	if err != nil {
		return nil, err
	}
	names, err := sourceFiles(packages, module)
	if err != nil {
		return nil, err
	}
	files, err := hashFiles(module, names)
	if err != nil {
		return nil, err
	}
	o, err := originOf(ctx, module)
	if err != nil {
		return nil, err
	}
	source := sourceHash(files)
	version := cmp.Or(o.version, "source-"+strings.TrimPrefix(source, "sha256:")[:12])
	assets, err := embedded(packages, files, module)
	return &tree{module, names, o.made, provenance.BuildStamp{Version: version, Source: source, Assets: assets}}, err
}

// embedded returns the files that packages of this module embed.
func embedded(packages []linked, files []provenance.BuildFile, module string) ([]provenance.BuildFile, error) {
	are := map[string]bool{}
	for _, p := range packages {
		names, err := p.within(module, p.EmbedFiles)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			are[name] = p.ours()
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f provenance.BuildFile) bool { return !are[f.Name] }), nil
}
