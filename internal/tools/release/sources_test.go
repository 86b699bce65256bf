package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// toy makes a module with everything that a binary can depend on.
func toy(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module infbench\n\ngo 1.26\n", "go.sum": "",
		"bench/main.go":      "package main\n\nimport _ \"embed\"\n\n//go:embed list.txt\nvar list string\n\nfunc main() { print(list) }\n",
		"bench/list.txt":     "a list",
		"bench/other.go":     "//go:build plan9\n\npackage main\n",
		"bench/sum_arm64.s":  "// empty\n",
		"bench/main_test.go": "package main\n",
		"bench/aside.txt":    "not embedded",
		"tool/main.go":       "package main\n\nfunc main() {}\n",
		archivedFile:         "$Format:%(describe)/%H %ct$\n",
	} {
		write(t, dir, name, text)
	}
	return dir
}

func treeIn(t *testing.T, dir string) *tree {
	t.Helper()
	read, err := treeOf(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// The hash is the output of sha256sum for every file from which any platform's binary is
// built, and no other.
func TestSourceHash(t *testing.T) {
	dir := toy(t)
	was := treeIn(t, dir)
	if got, want := strings.Join(was.files, " "), "bench/list.txt bench/main.go bench/other.go bench/sum_arm64.s go.mod go.sum"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if _, err := exec.LookPath("sha256sum"); err == nil {
		cmd := exec.Command("sh", "-c", "sha256sum "+strings.Join(was.files, " ")+" | sha256sum")
		cmd.Dir = dir
		out, err := cmd.Output()
		if want := "sha256:" + strings.Fields(string(out) + " ?")[0]; err != nil || was.stamp.Source != want {
			t.Errorf("%s, sha256sum has %s (%v)", was.stamp.Source, want, err)
		}
	}
	if len(was.stamp.Assets) != 1 || was.stamp.Assets[0].Name != "bench/list.txt" {
		t.Errorf("embedded: %v", was.stamp.Assets)
	}
	for _, name := range was.files {
		if name == "go.mod" || name == "bench/main.go" {
			continue // a comment at their end is not valid
		}
		write(t, dir, name, contentsOf(t, dir, name)+"// more\n")
		is := treeIn(t, dir)
		if is.stamp.Source == was.stamp.Source {
			t.Errorf("%s changed and the hash did not", name)
		}
		was = is
	}
	for _, name := range []string{"bench/main_test.go", "bench/aside.txt", "tool/main.go"} {
		write(t, dir, name, contentsOf(t, dir, name)+"// more\n")
		if treeIn(t, dir).stamp.Source != was.stamp.Source {
			t.Errorf("%s is not a source, but changed the hash", name)
		}
	}
}

func contentsOf(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A folder with only the hashed files lists and hashes the same: nothing that a binary
// depends on is left out.
func TestHashedFilesSuffice(t *testing.T) {
	was := treeIn(t, moduleDir(t))
	dir := filepath.Join(t.TempDir(), "elsewhere")
	if err := was.copyTo(dir); err != nil {
		t.Fatal(err)
	}
	write(t, dir, archivedFile, "$Format:%(describe)/%H %ct$\n")
	if is := treeIn(t, dir); is.stamp.Source != was.stamp.Source || len(is.files) != len(was.files) {
		t.Errorf("%d files with hash %s, of a copy %d with %s", len(was.files), was.stamp.Source, len(is.files), is.stamp.Source)
	}
}

// The version of a work tree is git's, marked if anything is not committed. In a git archive
// it is that of the archived commit. Elsewhere, also below another repository, it is the
// hash.
func TestVersionOfATree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIP: no git")
	}
	dir := toy(t)
	write(t, dir, ".gitattributes", "/"+archivedFile+" export-subst\n")
	write(t, dir, archivedFile, contentsOf(t, moduleDir(t), archivedFile))
	is := func(where, want string) {
		t.Helper()
		if got := treeIn(t, where).stamp.Version; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	none := treeIn(t, dir)
	is(dir, "source-"+none.stamp.Source[len("sha256:"):][:12])
	if got := none.made.Format("2006-01-02"); got != "1980-01-01" {
		t.Errorf("made %s", got)
	}

	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	commit := git(t, dir, "rev-parse", "HEAD")[:12]
	is(dir, commit)
	archive := func() string {
		to := filepath.Join(t.TempDir(), "unpacked")
		if err := os.MkdirAll(to, 0o755); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "archive", "-o", filepath.Join(to, "a.tar"), "HEAD")
		if out, err := exec.Command("tar", "-xf", filepath.Join(to, "a.tar"), "-C", to).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return to
	}
	unpacked := archive()
	is(unpacked, commit)
	if got := treeIn(t, unpacked).made.Unix(); got != 1_700_000_000 {
		t.Errorf("an archive was made at %d", got)
	}
	git(t, dir, "tag", "v1.2.3")
	is(dir, "v1.2.3")
	is(archive(), "v1.2.3")
	write(t, dir, "bench/new.go", "package main\n")
	is(dir, "v1.2.3+changes")
	git(t, filepath.Dir(unpacked), "init", "-q")
	is(unpacked, commit)
	t.Setenv("SOURCE_DATE_EPOCH", "1600000000")
	if got := treeIn(t, dir).made.Unix(); got != 1_600_000_000 {
		t.Errorf("SOURCE_DATE_EPOCH is not heeded: %d", got)
	}
}

// git runs git in a folder at a fixed time and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=1700000000 +0000", "GIT_AUTHOR_DATE=1700000000 +0000", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}
