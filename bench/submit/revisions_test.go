package submit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// as is the fixture under another system or revision.
func (f *fixture) as(system, revision string) *fixture {
	other := *f
	other.files = map[string]string{}
	for name, text := range f.files {
		other.files[name] = text
	}
	other.replace(DeclarationFile, "system: "+strings.Replace(f.org, "__", "/", 1), "system: "+system)
	other.replace(DeclarationFile, "revision: "+f.rev, "revision: "+revision)
	other.org, other.rev = folderOf(system), revision
	return &other
}

// Of two revisions of a system one has to replace the other, and only that one is shown.
func TestTwoRevisions(t *testing.T) {
	f := newFixture(t, "mini-followir")
	f.dir()
	second := f.as("acme/embed-1", "v2")
	second.dir()
	s, err := summary(t, options{}, f.all)
	if exitCode(err) != usage.ExitGate {
		t.Error(err)
	}
	same(t, s.faults(f.all), []string{"acme__embed-1/v2/submission.yaml:3: "})

	second.files[DeclarationFile] += "replaces: v1\n"
	second.dir()
	out := filepath.Join(t.TempDir(), "submissions")
	s, err = summary(t, options{out: out}, f.all)
	if err != nil || s.Accepted != 2 || s.Submissions[0].Replaced != "v2" || s.Submissions[1].Replaced != "" {
		t.Fatalf("%v: %+v", err, s)
	}
	exp, err := runs.At(out).Reader().Load()
	if err != nil || len(exp.Trials) != 1 || exp.Trials[0].Config[results.Revision] != "v2" {
		t.Errorf("%v: %+v", err, exp)
	}

	third := f.as("acme/embed-1", "v3")
	third.files[DeclarationFile] += "replaces: v1\n"
	third.dir()
	s, _ = summary(t, options{}, f.all)
	same(t, s.faults(f.all), []string{"acme__embed-1/v3/submission.yaml:19: ", "acme__embed-1/v3/submission.yaml:3: "})
	f.files[DeclarationFile] += "replaces: v2\n"
	f.dir()
	if err := os.RemoveAll(filepath.Join(f.all, f.org, "v3")); err != nil {
		t.Fatal(err)
	}
	s, _ = summary(t, options{}, f.all)
	same(t, s.faults(f.all), []string{"acme__embed-1/v2/submission.yaml:19: the revisions of the system replace each other in a circle"})
}

// Systems that differ in case only are one folder on many machines.
func TestSystemsOfOneName(t *testing.T) {
	f := newFixture(t, "mini-followir")
	f.as("Acme/Embed-1", "v1").dir()
	if there, _ := os.ReadDir(f.dir()); len(there) == 0 {
		t.Skip("SKIP: this file system knows no case")
	}
	s, err := summary(t, options{}, f.all)
	if exitCode(err) != usage.ExitGate || s.Refused != 1 {
		t.Errorf("%v: %v", err, s.faults(f.all))
	}
	same(t, s.faults(f.all), []string{"submission.yaml:2: lies in acme__embed-1, and Acme__Embed-1 differs from that in case only"})
}

// What is published is not checked again, does not change, does not go, and is replaced
// by what says so.
func TestAgainstPublished(t *testing.T) {
	published, f := newFixture(t, "mini-followir"), newFixture(t, "mini-followir")
	published.dir()
	dir := f.dir()
	check := func(want ...string) *Summary {
		t.Helper()
		s, err := summary(t, options{base: published.all}, f.all)
		if code := exitCode(err); (code == 0) != (len(want) == 0) {
			t.Error(err)
		}
		same(t, s.faults(f.all), want)
		return s
	}
	if s := check(); len(s.Unchanged) != 1 || len(s.Submissions) != 0 {
		t.Errorf("%+v", s)
	}
	f.replace(DeclarationFile, "by: Ada", "by: Ada L.")
	f.dir()
	check()
	f.line(headline, 1, func(fields []string) []string { fields[4] = "2000"; return fields })
	f.dir()
	check(headline + ": was published otherwise; a published revision does not change: bring another, which says replaces: v1")
	put(t, filepath.Join(dir, headline), published.files[headline])
	second := f.as("acme/embed-1", "v2")
	second.files[headline] = published.files[headline]
	put(t, filepath.Join(dir, DeclarationFile), published.files[DeclarationFile])
	second.dir()
	check("acme__embed-1/v2/submission.yaml:3: ")
	second.files[DeclarationFile] += "replaces: v1\n"
	second.dir()
	if s := check(); s.Accepted != 1 || len(s.Unchanged) != 1 {
		t.Errorf("%+v", s)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	check("acme__embed-1/v1: is published, and gone here", "acme__embed-1/v2/submission.yaml:19: no revision")
	if err := os.RemoveAll(filepath.Join(f.all, "acme__embed-1")); err != nil {
		t.Fatal(err)
	}
	check("acme__embed-1/v1: is published, and gone here")
	if _, err := os.Stat(published.all); err != nil {
		t.Error(err)
	}
}

// Command lines that make no sense are wrong usage.
func TestCheckUsage(t *testing.T) {
	empty := t.TempDir()
	for _, o := range []options{{format: "yaml"}, {format: "text", base: "a", out: "b"}} {
		if err := o.check(); exitCode(err) != usage.ExitUsage {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, dir := range []string{empty, filepath.Join(empty, "none")} {
		if err := (options{format: "text"}).hold(t.Context(), board(), []string{dir}, nil); exitCode(err) != usage.ExitUsage {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
