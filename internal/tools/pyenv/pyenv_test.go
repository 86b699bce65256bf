package pyenv

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/testkit"
)

// wheel writes a package of one module, of size bytes, into a folder and returns its pin.
func wheel(t *testing.T, folder, name string, size int) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	info := name + "-1.0.dist-info/"
	for file, content := range map[string]string{
		name + ".py":      "value = 1\n" + strings.Repeat("#", size),
		info + "METADATA": "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n",
		info + "WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		info + "RECORD":   name + ".py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n",
	} {
		w, err := z.Create(file)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+"-1.0-py3-none-any.whl"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s==1.0 \\\n    --hash=sha256:%s\n", name, disk.Sum(b.Bytes()))
}

// registry is a folder of wheels in place of PyPI.
func registry(t *testing.T) (folder string) {
	t.Helper()
	testkit.Deep(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIP: there is no python3 here")
	}
	folder = t.TempDir()
	t.Setenv("PIP_NO_INDEX", "1")
	t.Setenv("PIP_FIND_LINKS", folder)
	return folder
}

func TestMake(t *testing.T) {
	from, cache := registry(t), t.TempDir()
	good, other := wheel(t, from, "good", 0), wheel(t, from, "other", 0)
	makes := func(pins string) (string, string, error) {
		var log strings.Builder
		python, err := Make(context.Background(), &log, cache, "x", []byte(pins))
		return python, log.String(), err
	}
	python, log, err := makes(good + other)
	if err != nil || !strings.Contains(log, "2/2 other==1.0") {
		t.Fatalf("%v\n%s", err, log)
	}
	if out, err := exec.Command(python, "-c", "import good, other").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if again, log, err := makes(good + other); err != nil || again != python || log != "" {
		t.Errorf("the second time: %s, %v, %q", again, err, log)
	}

	// An environment left by a kill is made again.
	dir := filepath.Dir(filepath.Dir(python))
	if err := errors.Join(os.Remove(filepath.Join(dir, complete)), os.Remove(python)); err != nil {
		t.Fatal(err)
	}
	if again, log, err := makes(good + other); err != nil || again != python || log == "" {
		t.Errorf("after a kill: %s, %v, %q", again, err, log)
	}
}

func TestFaultsNameThePackage(t *testing.T) {
	from := registry(t)
	good, bad := wheel(t, from, "good", 0), wheel(t, from, "bad", 0)
	cut := wheel(t, from, "cut", 4000)
	file := filepath.Join(from, "cut-1.0-py3-none-any.whl")
	if err := os.Truncate(file, 200); err != nil {
		t.Fatal(err)
	}
	digit := "0"
	if strings.HasSuffix(bad, "0\n") {
		digit = "1"
	}
	cache := t.TempDir()
	for _, c := range []struct{ name, pins, want string }{
		{"a wrong hash", strings.TrimSpace(bad[:len(bad)-2]) + digit + "\n", "environment x: bad==1.0: a file from the registry does not have the pinned hash"},
		{"a cut file", good + cut, "environment x: cut==1.0: a file from the registry does not have the pinned hash"},
	} {
		if _, err := Make(context.Background(), io.Discard, cache, "x", []byte(c.pins)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		checkNothingLeft(t, cache)
	}
	if _, err := Make(context.Background(), io.Discard, cache, "x", []byte(good)); err != nil {
		t.Errorf("the cache is not usable: %v", err)
	}
}

// checkNothingLeft fails if a cache has an environment.
func checkNothingLeft(t *testing.T, cache string) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(cache, "x-*[^k]")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestPinsNeedVersionsAndHashes(t *testing.T) {
	const hash = "    --hash=sha256:0000000000000000000000000000000000000000000000000000000000000000\n"
	for _, c := range []struct{ pins, want string }{
		{"a==1.0 \\\n" + hash + "bad==1.0 \\\n", "bad==1.0 is pinned without a hash"},
		{"a==1.0 \\\n" + hash + "bad\n", `line 3 of the pins: want NAME==VERSION \ and lines of --hash=sha256:..., found "bad"`},
		{"a>=1.0 \\\n" + hash, `line 1 of the pins`},
		{hash, `line 1 of the pins`},
		{"# words\na==1.0 ; python_full_version < '3.12' \\\n" + hash, "<nil>"},
	} {
		if _, err := parse([]byte(c.pins)); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: %v, want %s", c.pins, err, c.want)
		}
	}
}

// Without a registry, callers skip.
func TestAbsent(t *testing.T) {
	registry(t)
	t.Setenv("PIP_NO_INDEX", "")
	t.Setenv("PIP_FIND_LINKS", "")
	t.Setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
	pins := "good==1.0 \\\n    --hash=sha256:" + strings.Repeat("0", 64) + "\n"
	var gap Absent
	if _, err := Make(context.Background(), io.Discard, t.TempDir(), "x", []byte(pins)); !errors.As(err, &gap) {
		t.Errorf("%v, want Absent", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Make(context.Background(), io.Discard, t.TempDir(), "x", []byte(pins)); !errors.As(err, &gap) {
		t.Errorf("without Python: %v, want Absent", err)
	}
}
