package command

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// libraryPrograms are the programs of docs/library.md. A program is one Go snippet with a
// main, the snippets without one, and an import of each package that the page names.
func libraryPrograms(t *testing.T, page string) (programs []string) {
	t.Helper()
	packages := map[string]string{}
	for _, name := range []string{"context", "fmt", "slices", "strings"} {
		packages[name] = name
	}
	for _, found := range regexp.MustCompile("`((?:infbench|github.com)/[a-z/]+)`").FindAllStringSubmatch(page, -1) {
		packages[path.Base(found[1])] = found[1]
	}
	var shared string
	for _, found := range regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		code := found[1]
		if !strings.Contains(code, "func main() {") {
			shared += code
			continue
		}
		program := "package main\n"
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
				program += "import \"" + packages[name] + "\"\n"
			}
		}
		programs = append(programs, program+shared+code)
	}
	if len(programs) < 4 {
		t.Fatalf("only %d programs found", len(programs))
	}
	return programs
}

// The programs of docs/library.md are Examples, which go test runs. The page's
// command prints nothing by itself: only its declarations are compared.
func TestLibraryShowsExamples(t *testing.T) {
	root := filepath.Join("..", "..")
	var examples string
	for _, pattern := range []string{"metrics/example*_test.go", "runners/example*_test.go", "runners/device/example*_test.go", "training/example*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			examples += string(mustRead(t, file))
		}
	}
	for _, program := range libraryPrograms(t, string(mustRead(t, filepath.Join(root, "docs", "library.md")))) {
		body, command, _ := strings.Cut(program, "func main() {")
		want := "() {" + command
		if !strings.Contains(program, "// Output: ") {
			want = body[strings.Index(body, "\n// "):]
		}
		if !strings.Contains(examples, want) {
			t.Errorf("no Example has the code of docs/library.md:%s", want)
		}
	}
}

// The programs of docs/library.md compile in their own module, without our kernels, and print
// the output on the page.
func TestLibraryOutside(t *testing.T) {
	testkit.Deep(t)
	module := outsideModule(t)
	for i, program := range libraryPrograms(t, string(mustRead(t, filepath.Join("..", "..", "docs", "library.md")))) {
		name := string(rune('a' + i))
		module.write(name, program)
		_, want, prints := strings.Cut(program, "// Output: ")
		want, _, _ = strings.Cut(want, "}")
		if !prints {
			continue // a command: TestOwnLoss runs it
		}
		if got := module.run("run", "./"+name); got != want {
			t.Errorf("program %d of docs/library.md printed %q, want %q", i+1, got, want)
		}
	}
}

// outside is a Go module that imports this one as docs/library.md describes.
type outside struct {
	t   *testing.T
	dir string
}

func outsideModule(t *testing.T) outside {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	o := outside{t, t.TempDir()}
	if err := os.WriteFile(filepath.Join(o.dir, "go.sum"), mustRead(t, filepath.Join(root, "go.sum")), 0o644); err != nil {
		t.Fatal(err)
	}
	o.run("mod", "init", "outside")
	o.run("mod", "edit", "-require", "infbench@v0.0.0", "-replace", "infbench="+root)
	return o
}

// write makes a program of one file.
func (o outside) write(name, program string) {
	o.t.Helper()
	if err := os.Mkdir(filepath.Join(o.dir, name), 0o755); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.dir, name, "main.go"), []byte(program), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

// run returns the output of a go command.
func (o outside) run(args ...string) string {
	o.t.Helper()
	cmd := exec.CommandContext(o.t.Context(), "go", args...)
	cmd.Dir = o.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		o.t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}
