package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"infbench/datasets/atomicfile"
	"infbench/training/encoder"
)

// encoderVersion is raised whenever infbench's own code comes to compute other
// vectors from the same files.
const encoderVersion = 1

// fingerprint names everything that determines the vectors of a model folder:
// its files, how texts become tokens and vectors, and what computes them. The
// folder's own path is no part of it.
func fingerprint(dir string, enc *encoder.Encoder, device string) (string, error) {
	files, err := hashModelFiles(dir)
	if err != nil {
		return "", fmt.Errorf("hash model: %w", err)
	}
	config := enc.Config()
	text, err := json.Marshal(config.Text)
	if err != nil {
		return "", fmt.Errorf("hash model: %w", err)
	}
	return strings.Join([]string{
		fmt.Sprintf("%s of %d values, encoder version %d", config.ModelType, enc.Dim(), encoderVersion),
		"files " + files,
		"text " + string(text),
		fmt.Sprintf("device %s, float32, simd %t, %s/%s", device, builtWithSIMD, runtime.GOOS, runtime.GOARCH),
		"modules " + strings.Join(computeModules(), " "),
	}, "\n"), nil
}

// modelFileEndings are those of the files that a model may be read from: weights,
// configurations and vocabularies. Cards and other formats of the same weights
// do not matter.
var modelFileEndings = []string{".safetensors", ".json", ".txt", ".model"}

// hashModelFiles hashes the names and contents of a model's files.
func hashModelFiles(dir string) (string, error) {
	all := sha256.New()
	// WalkDir goes in lexical order. Snapshots of the hub consist of links, which
	// os.Open follows.
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != dir && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains(modelFileEndings, filepath.Ext(path)) {
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sum, _, err := atomicfile.SHA256(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(all, "%q %s\n", filepath.ToSlash(name), sum)
		return err
	})
	return fmt.Sprintf("sha256:%x", all.Sum(nil)), err
}

// computeModules lists the versions of the libraries that vectors come from.
func computeModules() []string {
	var modules []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if strings.HasPrefix(m.Path, "github.com/gomlx/") {
				modules = append(modules, m.Path+"@"+m.Version)
			}
		}
	}
	return modules
}
