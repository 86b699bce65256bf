package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/runners/provenance"
)

// An archive has the same bytes each time: one folder, no owner, the commit's time.
func TestPack(t *testing.T) {
	files := []packed{{"LICENSE", 0o644, []byte("free")}, {"infbench", 0o755, []byte("\x7fELF")}}
	made := time.Unix(1_700_000_000, 0)
	var first, second bytes.Buffer
	if err := errors.Join(pack(&first, "infbench-v1-linux-amd64", files, made), pack(&second, "infbench-v1-linux-amd64", files, made)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same files differ")
	}
	z, err := gzip.NewReader(&first)
	if err != nil {
		t.Fatal(err)
	}
	if !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("the gzip header has %v %q", z.ModTime, z.Name)
	}
	archive := tar.NewReader(z)
	for _, f := range files {
		h, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil || !bytes.Equal(data, f.data) || h.Name != "infbench-v1-linux-amd64/"+f.name || h.Mode != f.mode || !h.ModTime.Equal(made) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%+v, %q, %v", h, data, err)
		}
	}
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// A release of a small module: each archive has its binary and papers, SHA256SUMS matches
// them, another folder gives the same bytes, and other sources give another binary.
func TestArchives(t *testing.T) {
	testkit.Deep(t)
	dir := toy(t)
	write(t, dir, "LICENSE", "free")
	write(t, dir, "README.md", "read me")
	write(t, dir, "docs/ci.md", "for CI")
	write(t, dir, "docs/findings/gate.md", "a finding")
	of := []target{{OS: "linux", Arch: "arm64"}}
	released := func(module string, twice bool) string {
		out := filepath.Join(t.TempDir(), "dist")
		if err := archives(t.Context(), treeIn(t, module), of, out, twice, io.Discard); err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := released(dir, true)
	sums := contentsOf(t, first, "SHA256SUMS")
	name := strings.Fields(sums)[1]
	if _, err := exec.LookPath("sha256sum"); err == nil {
		cmd := exec.Command("sha256sum", "-c", "SHA256SUMS")
		cmd.Dir = first
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	if names, want := namesIn(t, filepath.Join(first, name)), []string{"LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt", "docs/ci.md", "docs/findings/gate.md", "infbench", "infbench.cdx.json"}; !slices.Equal(names, want) {
		t.Errorf("%s has %q, want %q", name, names, want)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := treeIn(t, dir).copyTo(elsewhere); err != nil {
		t.Fatal(err)
	}
	for _, paper := range []string{"LICENSE", "README.md", "docs/ci.md", "docs/findings/gate.md", archivedFile} {
		write(t, elsewhere, paper, contentsOf(t, dir, paper))
	}
	if again := contentsOf(t, released(elsewhere, false), "SHA256SUMS"); again != sums {
		t.Errorf("another folder gives\n%snot\n%s", again, sums)
	}
	write(t, dir, "bench/list.txt", "another list")
	if other := contentsOf(t, released(dir, false), "SHA256SUMS"); strings.Fields(other)[0] == strings.Fields(sums)[0] {
		t.Error("other sources give the same archive")
	}
}

// namesIn lists the files of an archive below its folder.
func namesIn(t *testing.T, path string) []string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(contentsOf(t, filepath.Dir(path), filepath.Base(path))))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err != nil {
			return names
		}
		_, name, _ := strings.Cut(h.Name, "/")
		names = append(names, name)
	}
}

// A second build that differs is reported.
func TestSameFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "1")
	write(t, dir, "b", "2")
	if err := sameFiles(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err == nil {
		t.Error("two binaries count as one")
	}
	if err := compile(t.Context(), dir, targets[0], provenance.BuildStamp{}, filepath.Join(dir, "c")); err == nil {
		t.Error("a folder without a module builds")
	}
}

// If sources change while they are built, there is no binary: its stamp would be that of
// other sources.
func TestChangedWhileBuilt(t *testing.T) {
	dir := toy(t)
	read := treeIn(t, dir)
	write(t, dir, "bench/list.txt", "another list")
	binary := filepath.Join(dir, "infbench")
	if err := read.here(t.Context(), binary, "", io.Discard); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("built with the stamp of other sources: %v", err)
	}
	if _, err := os.Stat(binary); err == nil {
		t.Error("the binary is left")
	}
	if err := treeIn(t, dir).here(t.Context(), binary, "", io.Discard); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Error(err)
	}
}

// The action that other repositories use unpacks an archive: its infbench is on the path of
// later steps.
func TestInstallScript(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIP: there is no %s here", tool)
		}
	}
	dir := t.TempDir()
	var archive bytes.Buffer
	if err := pack(&archive, "infbench-v1-linux-amd64", []packed{{"LICENSE", 0o644, []byte("free")}, {"infbench", 0o755, []byte("#!/bin/sh\necho \"infbench v1\"\n")}}, time.Unix(1_700_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.tar.gz", archive.String())
	sum := sha256.Sum256(archive.Bytes())
	cmd := exec.CommandContext(t.Context(), "bash", "../../../.github/actions/measure/install.sh")
	cmd.Env = append(os.Environ(), "RELEASE=file://"+filepath.Join(dir, "a.tar.gz"), "SHA256="+hex.EncodeToString(sum[:]), "RUNNER_TEMP="+dir, "GITHUB_PATH="+filepath.Join(dir, "path"))
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "infbench v1\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	added, err := os.ReadFile(filepath.Join(dir, "path"))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(strings.TrimSpace(string(added)), "infbench")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%q has no program: %v", added, err)
	}
}
