package pyenv

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
)

// index serves the files of a folder as PyPI does: a page for each package, with the hashes
// that the files had.
func index(t *testing.T, folder string) {
	t.Helper()
	pages := map[string]string{}
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		content, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(f.Name(), "-")
		pages[name] += fmt.Sprintf("<a href=\"../../files/%s#sha256=%s\" data-requires-python=\"&gt;=3.8\">x</a>\n", f.Name(), disk.Sum(content))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page := pages[path.Base(r.URL.Path)]; page != "" {
			io.WriteString(w, page)
			return
		}
		http.ServeFile(w, r, filepath.Join(folder, path.Base(r.URL.Path)))
	}))
	t.Cleanup(s.Close)
	t.Setenv("PIP_INDEX_URL", s.URL+"/simple")
}

// source writes a source package with a build script, and returns its pin.
func source(t *testing.T, folder, name string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range []tar.Header{
		{Name: name + "-1.0/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: name + "-1.0/scripts/build.sh", Typeflag: tar.TypeReg, Mode: 0o755, Size: 2},
		{Name: name + "-1.0/link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
	} {
		err := w.WriteHeader(&f)
		if err == nil && f.Size > 0 {
			_, err = io.WriteString(w, "#!")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close(), os.WriteFile(filepath.Join(folder, name+"-1.0.tar.gz"), b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s==1.0 \\\n    --hash=sha256:%s\n", name, disk.Sum(b.Bytes()))
}

func TestFetch(t *testing.T) {
	from, cache := t.TempDir(), t.TempDir()
	pins := wheel(t, from, "good", 0) + source(t, from, "other")
	index(t, from)
	for name, file := range map[string]string{"good": "good.py", "other": "other-1.0/scripts/build.sh"} {
		var log strings.Builder
		dir, err := Fetch(context.Background(), &log, cache, []byte(pins), name)
		if err != nil || !strings.HasPrefix(filepath.Base(dir), name+"-1.0-") || !strings.Contains(log.String(), "fetching "+name+"==1.0") {
			t.Fatalf("%s: %s, %v, %q", name, dir, err, log.String())
		}
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || strings.HasSuffix(file, ".sh") != (info.Mode()&0o100 != 0) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if links, _ := filepath.Glob(filepath.Join(dir, "*", "link")); len(links) > 0 {
			t.Errorf("%s: %s leads out of the folder", name, links)
		}
		log.Reset()
		if again, err := Fetch(context.Background(), &log, cache, []byte(pins), name); err != nil || again != dir || log.Len() > 0 {
			t.Errorf("the second time: %s, %v, %q", again, err, log.String())
		}

		// A folder left by a kill is made again.
		if err := errors.Join(os.Remove(filepath.Join(dir, complete)), os.Remove(filepath.Join(dir, file))); err != nil {
			t.Fatal(err)
		}
		if again, err := Fetch(context.Background(), &log, cache, []byte(pins), name); err != nil || again != dir || log.Len() == 0 {
			t.Errorf("after a kill: %s, %v, %q", again, err, log.String())
		}
	}
}

func TestFetchFaultsNameThePackage(t *testing.T) {
	from, cache := t.TempDir(), t.TempDir()
	good, bad, cut, short := wheel(t, from, "good", 0), wheel(t, from, "bad", 0), wheel(t, from, "cut", 4000), wheel(t, from, "short", 4000)
	index(t, from)
	if err := os.Truncate(filepath.Join(from, "cut-1.0-py3-none-any.whl"), 200); err != nil {
		t.Fatal(err)
	}
	listed, broken := os.Getenv("PIP_INDEX_URL"), httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "<a")
	}))
	t.Cleanup(broken.Close)
	for _, c := range []struct{ name, index, pins, want string }{
		{"bad", listed, bad[:len(bad)-65] + strings.Repeat("0", 64) + "\n", "package bad==1.0: the registry has no file with the pinned hash"},
		{"cut", listed, good + cut, "package cut==1.0: a file from the registry does not have the pinned hash"},
		{"short", broken.URL, short, "package short==1.0: unexpected EOF"},
		{"absent", listed, "absent==1.0 \\\n    --hash=sha256:" + strings.Repeat("0", 64) + "\n", "package absent==1.0: " + listed + "/absent/ answers 404"},
		{"unknown", listed, good, "package unknown is not pinned"},
		{"good", listed, good + "    --hash=sha256:" + strings.Repeat("0", 64) + "\n", "package good==1.0: 2 hashes are pinned"},
	} {
		t.Setenv("PIP_INDEX_URL", c.index)
		if _, err := Fetch(context.Background(), io.Discard, cache, []byte(c.pins), c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if left, err := filepath.Glob(filepath.Join(cache, "*[^k]")); err != nil || len(left) > 0 {
			t.Errorf("left %v, %v", left, err)
		}
	}
	t.Setenv("PIP_INDEX_URL", listed)
	if _, err := Fetch(context.Background(), io.Discard, cache, []byte(good), "good"); err != nil {
		t.Errorf("the cache is not usable: %v", err)
	}
}

// Without a registry, callers skip.
func TestFetchAbsent(t *testing.T) {
	t.Setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
	pins := "good==1.0 \\\n    --hash=sha256:" + strings.Repeat("0", 64) + "\n"
	if _, err := Fetch(context.Background(), io.Discard, t.TempDir(), []byte(pins), "good"); !errors.As(err, new(Absent)) {
		t.Errorf("%v, want Absent", err)
	}
}

func TestLibraryPins(t *testing.T) {
	if all, err := parse(Library); err != nil || len(all) == 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestRealPins(t *testing.T) {
	all, err := parse(Real)
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, p := range all {
		name, _, _ := strings.Cut(p.name, "==")
		if _, _, err := find(Real, name); err != nil {
			t.Error(err)
		}
	}
}
