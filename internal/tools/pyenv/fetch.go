package pyenv

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Real has the pins of packages with pretrained models, servers and plugins. Each has one hash,
// which selects the file.
//
//go:embed real.txt
var Real []byte

// Library has the pins of the Python libraries that people use today, which make reference and
// make peers compare with infbench.
//
//go:embed library.txt
var Library []byte

// Fetch downloads a package of pins, a requirements file, and unpacks it in folder, unless it is
// there. Nothing of it is installed, built or run. It returns the path of the unpacked package,
// folder/NAME-VERSION-HASH. Wheels and .tar.gz files can be unpacked. The registry is
// $PIP_INDEX_URL, else PyPI. Progress goes to log.
//
// pip is not used: "pip download" of a source package starts its build.
//
// Like Make, it waits for other processes, leaves nothing unfinished in the folder, returns
// Absent if no registry can be reached, and names the package in other errors.
func Fetch(ctx context.Context, log io.Writer, folder string, pins []byte, name string) (dir string, err error) {
	p, hash, err := find(pins, name)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(folder, fmt.Sprintf("%s-%.12s", strings.ReplaceAll(p.name, "==", "-"), hash))
	return dir, Once(ctx, "package "+p.name, dir, func() error {
		fmt.Fprintf(log, "fetching %s into %s\n", p.name, dir)
		address, err := lookUp(ctx, name, hash)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, path.Base(address))
		if err := download(ctx, address, file, hash); err != nil {
			return err
		}
		if err := unpack(file, dir); err != nil {
			return err
		}
		return os.Remove(file)
	})
}

// find returns the package with a name, and its only hash.
func find(pins []byte, name string) (p pinned, hash string, err error) {
	all, err := parse(pins)
	if err != nil {
		return p, "", err
	}
	for _, p := range all {
		if strings.HasPrefix(p.name, name+"==") {
			hashes := hashOf.FindAllStringSubmatch(p.lines, -1)
			if len(hashes) != 1 {
				return p, "", fmt.Errorf("package %s: %d hashes are pinned, want the hash of one file", p.name, len(hashes))
			}
			return p, hashes[0][1], nil
		}
	}
	return p, "", fmt.Errorf("package %s is not pinned", name)
}

var hashOf = regexp.MustCompile(`--hash=sha256:([0-9a-f]{64})`)

// lookUp returns the address of the file with a hash, from the package's page in the registry
// (https://packaging.python.org/en/latest/specifications/simple-repository-api).
func lookUp(ctx context.Context, name, hash string) (string, error) {
	index := strings.TrimSuffix(cmp.Or(os.Getenv("PIP_INDEX_URL"), "https://pypi.org/simple"), "/")
	answer, err := get(ctx, index+"/"+name+"/")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	link := regexp.MustCompile(`href="([^"#]+)#sha256=` + hash + `"`).FindSubmatch(page)
	if link == nil {
		return "", errors.New("the registry has no file with the pinned hash")
	}
	address, err := answer.Request.URL.Parse(html.UnescapeString(string(link[1])))
	if err != nil {
		return "", err
	}
	return address.String(), nil
}

// get asks a registry. Without a connection the error is Absent.
func get(ctx context.Context, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/html, */*")
	answer, err := http.DefaultClient.Do(request)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, Absent{"the registry of Python packages cannot be reached: " + err.Error()}
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("%s answers %s", address, answer.Status)
	}
	return answer, nil
}

// download writes a file that must have the hash.
func download(ctx context.Context, address, file, hash string) (err error) {
	answer, err := get(ctx, address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), answer.Body)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s, after %d bytes: %w", address, n, err)
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != hash {
		return fmt.Errorf("a file from the registry does not have the pinned hash: expected sha256 %s, got %s of %d bytes", hash, got, n)
	}
	return nil
}

// unpack writes the files of an archive into dir.
func unpack(file, dir string) error {
	switch {
	case strings.HasSuffix(file, ".whl"):
		z, err := zip.OpenReader(file)
		if err != nil {
			return err
		}
		defer z.Close()
		return os.CopyFS(dir, z)
	case strings.HasSuffix(file, ".tar.gz"):
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			return err
		}
		return unpackTar(tar.NewReader(z), dir)
	}
	return fmt.Errorf("%s is neither a wheel nor a .tar.gz file", filepath.Base(file))
}

// unpackTar writes folders and files into dir, never outside. Links are left out.
func unpackTar(r *tar.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && h.Typeflag == tar.TypeReg {
			err = unpackFile(root, h, r)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, h *tar.Header, r io.Reader) (err error) {
	if err := root.MkdirAll(path.Dir(h.Name), 0o777); err != nil {
		return err
	}
	f, err := root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666|h.FileInfo().Mode()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
