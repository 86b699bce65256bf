package catalog

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"infbench/internal/disk"
	"infbench/runners/device"
	"infbench/training/encoder"
	"infbench/training/weights"
)

// encoderVersion is increased when infbench's code begins to compute different vectors from the
// same files.
const encoderVersion = 3

// familyVersions are the versions of families whose own vectors alone have changed since:
// static models read texts without special tokens.
var familyVersions = map[string]int{"static": 4}

// fingerprint names everything that determines the vectors of a model: its origin ("files" of a
// folder with their hash, or WeightsSource), how texts become tokens and vectors, and what
// computes them.
func fingerprint(source string, enc *encoder.Encoder, dev string) (string, error) {
	config := enc.Config()
	text, err := json.Marshal(config.Text)
	if err != nil {
		return "", fmt.Errorf("hash model: %w", err)
	}
	if enc.IsPooled() {
		text = append(text, ", not normalised"...)
	}
	if tok := enc.Tokenizer(); tok != nil && tok.Rewritten() {
		all := sha256.New()
		for _, f := range tok.Files() {
			all.Write(f.Data)
		}
		text = fmt.Appendf(text, ", tokenizer sha256:%x", all.Sum(nil))
	}
	return strings.Join([]string{
		fmt.Sprintf("%s of %d values, encoder version %d", config.ModelType, enc.Dim(), max(encoderVersion, familyVersions[config.ModelType])),
		source,
		"text " + string(text),
		fmt.Sprintf("device %s, %s, simd false, %s/%s", computedBy(dev, enc.Precision()), enc.Precision(), runtime.GOOS, runtime.GOARCH),
		"modules " + strings.Join(computeModules(), " "),
	}, "\n"), nil
}

// computedBy is the device, with its kernels for a precision if it is the Go backend.
func computedBy(dev string, p encoder.Precision) string {
	if set := device.KernelSet(p); dev == device.GoDevice && set != "" {
		return dev + "+" + set
	}
	return dev
}

// WeightsSource names the weights and the vocabulary of a model that was made here. Its type
// and dimensions identify the network.
func WeightsSource(enc *encoder.Encoder) (string, error) {
	all := sha256.New()
	config := enc.Config()
	if err := json.NewEncoder(all).Encode(&config); err != nil {
		return "", fmt.Errorf("hash model: %w", err)
	}
	if tok := enc.Tokenizer(); tok != nil {
		for _, f := range tok.Files() {
			all.Write(f.Data)
		}
	}
	variables := slices.SortedFunc(enc.Store().IterVariables(), func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	for _, v := range variables {
		value, err := v.Value()
		if err != nil {
			return "", fmt.Errorf("hash model: %w", err)
		}
		fmt.Fprintf(all, "%q %s\n", v.Path(), v.Shape())
		inMemory := value.HasLocal()
		if err := value.ConstBytes(func(data []byte) { all.Write(data) }); err != nil {
			return "", fmt.Errorf("hash model: %w", err)
		}
		if !inMemory { // otherwise a device's weights would all stay in memory
			value.FinalizeLocal()
		}
	}
	return fmt.Sprintf("weights sha256:%x", all.Sum(nil)), nil
}

// ModelFiles lists the files of a model (slash-separated paths) that it may be read from, in
// order: weights, configurations and vocabularies. Cards and other formats of the same weights
// do not count; a chat template counts in folders with LogitScore.
func ModelFiles(files []string) []string {
	var read []string
	asked := slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix(path.Dir(file), "LogitScore") })
	for _, file := range files {
		switch path.Ext(file) {
		case ".jinja":
			if asked && path.Base(file) == "chat_template.jinja" {
				read = append(read, file)
			}
		case ".safetensors", ".json", ".txt", ".model", ".metadata": // the last is for Stanford's ColBERT
			read = append(read, file)
		case ".bin":
			if weights.IsRead(file, files) {
				read = append(read, file)
			}
		}
	}
	return read
}

// HashModelFiles hashes the names and contents of a model's files.
func HashModelFiles(dir string) (string, error) {
	files, err := listFiles(dir)
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, name := range ModelFiles(files) {
		sum, _, err := disk.SHA256(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%q %s\n", name, sum)
	}
	return fmt.Sprintf("sha256:%x", all.Sum(nil)), nil
}

// listFiles lists the files of a folder in lexical order, without folders whose names begin
// with a dot. Snapshots of the hub consist of links, which os.Open follows.
func listFiles(dir string) ([]string, error) {
	var files []string
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
		name, err := filepath.Rel(dir, path)
		files = append(files, filepath.ToSlash(name))
		return err
	})
	return files, err
}

// computeModules lists the versions of the libraries that compute vectors.
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
