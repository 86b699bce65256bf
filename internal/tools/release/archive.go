package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infbench/bench/version"
	"infbench/internal/disk"
)

// archives builds the command for each target, twice if asked, and packs it with its papers
// into a folder, next to SHA256SUMS for sha256sum -c. Other files in the folder stay. The
// same sources and Go give the same bytes.
func archives(ctx context.Context, t *tree, of []target, dir string, twice bool, stdout io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, to := range of {
		name := fmt.Sprintf("infbench-%s-%s.tar.gz", strings.ReplaceAll(t.stamp.Version, "/", "-"), to)
		path := filepath.Join(dir, name)
		if err := archiveOf(ctx, t, to, path, twice); err != nil {
			return fmt.Errorf("%s: %w", to, err)
		}
		sum, _, err := disk.SHA256(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, name)
		fmt.Fprintln(stdout, path)
	}
	return disk.WriteBytes(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()))
}

// archiveOf makes one archive.
func archiveOf(ctx context.Context, t *tree, to target, path string, twice bool) error {
	temporary, err := os.MkdirTemp("", "infbench-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	binary := filepath.Join(temporary, "infbench")
	if err := compile(ctx, t.module, to, t.stamp, binary); err != nil {
		return err
	}
	if twice {
		if err := t.again(ctx, to, binary); err != nil {
			return err
		}
	}
	if err := t.unchanged(ctx); err != nil {
		return err
	}
	files, err := contents(t, binary)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := pack(&packed, strings.TrimSuffix(filepath.Base(path), ".tar.gz"), files, t.made); err != nil {
		return err
	}
	return disk.WriteBytes(path, packed.Bytes())
}

// packed is a file of an archive.
type packed struct {
	name string
	mode int64
	data []byte
}

// contents returns the files of an archive, sorted by name.
func contents(t *tree, binary string) ([]packed, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var bill bytes.Buffer
	if err := version.NewBill(info, t.stamp).Write(&bill); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(binary)
	licence, err2 := os.ReadFile(filepath.Join(t.module, "LICENSE"))
	readme, err3 := os.ReadFile(filepath.Join(t.module, "README.md"))
	docs, err4 := pages(t)
	return slices.Concat([]packed{
		{"LICENSE", 0o644, licence}, {"README.md", 0o644, readme}, {"THIRD-PARTY-NOTICES.txt", 0o644, []byte(version.Notices)},
	}, docs, []packed{
		{"infbench", 0o755, program}, {"infbench.cdx.json", 0o644, bill.Bytes()},
	}), errors.Join(err, err2, err3, err4)
}

// pages returns the pages below docs, to which README.md links, sorted by name.
func pages(t *tree) (all []packed, err error) {
	module := os.DirFS(t.module)
	var names []string
	for _, pattern := range []string{"docs/*.md", "docs/findings/*.md"} {
		found, err := fs.Glob(module, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return nil, err
		}
		all = append(all, packed{name, 0o644, text})
	}
	return all, nil
}

// pack writes files below a folder as a compressed tar without owners, all with one time.
func pack(w io.Writer, folder string, files []packed, made time.Time) error {
	z := gzip.NewWriter(w)
	archive := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: made, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), z.Close())
}
