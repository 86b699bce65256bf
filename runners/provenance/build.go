package provenance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Stamped by the linker: -ldflags "-X infbench/runners/provenance.stampedVersion=...". See
// internal/tools/release.
var (
	stampedVersion string
	stampedSource  string
	stampedAssets  string
)

// BuildStamp is what make stamps on a binary.
type BuildStamp struct {
	Version string      // see Version
	Source  string      // see Source
	Assets  []BuildFile // embedded from this module; nil where make did not build
}

// BuildFile is a file with its SHA-256 in hexadecimal digits.
type BuildFile struct{ Name, SHA256 string }

// in is this package as the linker names it.
const packagePath = "infbench/runners/provenance."

// Flags are those of the linker that stamp a binary.
func (s BuildStamp) Flags() string {
	files := make([]string, len(s.Assets))
	for i, f := range s.Assets {
		files[i] = f.SHA256 + ":" + f.Name
	}
	return fmt.Sprintf("-X '%sstampedVersion=%s' -X '%sstampedSource=%s' -X '%sstampedAssets=%s'", packagePath, s.Version, packagePath, s.Source, packagePath, strings.Join(files, ","))
}

// OwnBuild is the stamp of this binary, with what is known of it where it has none.
func OwnBuild() BuildStamp {
	s := BuildStamp{Version: BuildVersion(), Source: BuildSource()}
	for _, file := range strings.FieldsFunc(stampedAssets, func(r rune) bool { return r == ',' }) {
		sum, name, _ := strings.Cut(file, ":")
		s.Assets = append(s.Assets, BuildFile{name, sum})
	}
	return s
}

// BuildVersion is what git describes the sources as, "+changes" at its end where the tree
// had any. Without a stamp it is the revision that Go recorded, or the version of the
// module, "(devel)" where neither is known.
func BuildVersion() string {
	if stampedVersion != "" {
		return stampedVersion
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return recorded(info)
}

// recorded is the revision that Go found by itself, shortened, or else the version of
// the module.
func recorded(info *debug.BuildInfo) string {
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	if revision == "" {
		return info.Main.Version
	}
	return revision + modified
}

// BuildSource tells builds of different sources apart. A binary of plain go build has no
// stamp of make, and what Go records of it cannot tell two trees with uncommitted changes
// apart, nor anything without git; such a binary is told by its own hash, which may differ
// between two builds of the same sources, but is never the same for different ones: "sha256:" and the hash over the
// sources that make stamped, or "binary-sha256:" and the hash of this executable;
// "unknown" where it cannot be read.
func BuildSource() string {
	if stampedSource != "" {
		return stampedSource
	}
	return executable()
}

// executable hashes the binary once. Linux has it open, also when another was put in
// its place since.
var executable = sync.OnceValue(func() string {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		path, err := os.Executable()
		if err != nil {
			return "unknown"
		}
		if f, err = os.Open(path); err != nil {
			return "unknown"
		}
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "unknown"
	}
	return "binary-sha256:" + hex.EncodeToString(sum.Sum(nil))
})
