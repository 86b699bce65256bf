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

// The linker sets these: -ldflags "-X infbench/runners/provenance.stampedVersion=...". See
// internal/tools/release.
var (
	stampedVersion string
	stampedSource  string
	stampedAssets  string
)

// BuildStamp is the information that make writes into a binary.
type BuildStamp struct {
	Version string      // see Version
	Source  string      // see Source
	Assets  []BuildFile // files of this module that are embedded; nil unless make built the binary
}

// BuildFile is a file with its SHA-256 in hexadecimal digits.
type BuildFile struct{ Name, SHA256 string }

// packagePath is this package in the linker's notation.
const packagePath = "infbench/runners/provenance."

// Flags returns the linker flags that stamp a binary.
func (s BuildStamp) Flags() string {
	files := make([]string, len(s.Assets))
	for i, f := range s.Assets {
		files[i] = f.SHA256 + ":" + f.Name
	}
	return fmt.Sprintf("-X '%sstampedVersion=%s' -X '%sstampedSource=%s' -X '%sstampedAssets=%s'", packagePath, s.Version, packagePath, s.Source, packagePath, strings.Join(files, ","))
}

// OwnBuild returns the stamp of this binary, or the known facts about a binary without one.
func OwnBuild() BuildStamp {
	s := BuildStamp{Version: BuildVersion(), Source: BuildSource()}
	for _, file := range strings.FieldsFunc(stampedAssets, func(r rune) bool { return r == ',' }) {
		sum, name, _ := strings.Cut(file, ":")
		s.Assets = append(s.Assets, BuildFile{name, sum})
	}
	return s
}

// BuildVersion returns git's description of the sources, with "+changes" at its end if the tree
// had uncommitted changes. Without a stamp it is the revision that Go recorded, else the
// version of the module, else "(devel)".
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

// BuildAddress returns the address of the sources on the web if the path of the module is one,
// else "".
func BuildAddress() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return addressOf(info.Main.Path)
	}
	return ""
}

// addressOf returns the address of a module; "" if its path does not begin with a host.
func addressOf(module string) string {
	if host, _, _ := strings.Cut(module, "/"); strings.Contains(host, ".") {
		return "https://" + module
	}
	return ""
}

// recorded returns the shortened revision that Go recorded, or else the version of the module.
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

// BuildSource identifies the sources of a build: builds of different sources have different
// values. A binary stamped by make has "sha256:" and the hash of its sources. A binary of plain
// go build has "binary-sha256:" and the hash of this executable, because Go's own record does
// not distinguish two trees with uncommitted changes, and is empty without git. This hash may
// differ between two builds of the same sources. The value is "unknown" if the executable
// cannot be read.
func BuildSource() string {
	if stampedSource != "" {
		return stampedSource
	}
	return executable()
}

// executable hashes the binary once. Linux keeps the running file open, even if another has
// replaced it since.
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
