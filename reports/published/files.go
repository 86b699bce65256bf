package published

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/memory"
)

// maxFile limits one result file; the largest of the public repository has 3 MB.
const maxFile = 64 << 20

// eachFile calls visit with the slash-separated name and the content of every regular file that
// wanted accepts, in a folder or in a .tar or .tar.gz archive, or of one .json file. The content is
// only valid during the call.
func eachFile(path string, wanted func(name string) bool, visit func(name string, content []byte) error) error {
	info, err := disk.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return eachInFolder(path, wanted, visit)
	}
	f, err := disk.Stream(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if isJSON(path) {
		content, err := readFile(path, f)
		if err != nil {
			return err
		}
		return visit(filepath.Base(path), content)
	}
	if err := eachInArchive(bufio.NewReaderSize(f, 1<<20), wanted, visit); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// isJSON reports whether a path is a result file and not an archive.
func isJSON(path string) bool { return filepath.Ext(path) == ".json" }

func eachInFolder(dir string, wanted func(string) bool, visit func(string, []byte) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != "." {
			return fs.SkipDir // .git of a clone
		}
		if !d.Type().IsRegular() || !wanted(name) {
			return nil
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		content, err := readFile(filepath.Join(dir, name), f)
		if err != nil {
			return err
		}
		return visit(name, content)
	})
}

// tarOf opens a tar archive, which may be compressed with gzip.
func tarOf(r *bufio.Reader) (*tar.Reader, error) {
	if magic, err := r.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return tar.NewReader(r), nil
	}
	in, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return tar.NewReader(in), nil
}

func eachInArchive(r *bufio.Reader, wanted func(string) bool, visit func(string, []byte) error) error {
	archive, err := tarOf(r)
	if err != nil {
		return err
	}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a folder and no tar archive that can be read: %w", err)
		}
		name := strings.TrimPrefix(header.Name, "./")
		if header.Typeflag != tar.TypeReg || !wanted(name) {
			continue
		}
		content, err := readFile(name, archive)
		if err != nil {
			return err
		}
		if err := visit(name, content); err != nil {
			return err
		}
	}
}

// readFile reads one file of limited size.
func readFile(name string, r io.Reader) ([]byte, error) {
	content, err := memory.ReadAll(r, maxFile)
	if err == nil {
		err = memory.ForJSON(content)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return content, nil
}
