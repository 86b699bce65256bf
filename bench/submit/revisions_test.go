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

// as returns the fixture under another system or revision.
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

// TestTwoRevisions: if a system has two revisions, one must replace the other, and only that
// one is shown.
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

// TestSystemsOfOneName: systems that differ only in case are one folder on many machines.
func TestSystemsOfOneName(t *testing.T) {
	f := newFixture(t, "mini-followir")
	f.as("Acme/Embed-1", "v1").dir()
	if there, _ := os.ReadDir(f.dir()); len(there) == 0 {
		t.Skip("SKIP: this file system ignores case")
	}
	s, err := summary(t, options{}, f.all)
	if exitCode(err) != usage.ExitGate || s.Refused != 1 {
		t.Errorf("%v: %v", err, s.faults(f.all))
	}
	same(t, s.faults(f.all), []string{"submission.yaml:2: is in acme__embed-1, which differs only in case from Acme__Embed-1"})
}

// TestAgainstPublished: a published submission is not checked again and must neither change nor
// disappear. A submission that names it under replaces takes its place.
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
	check(headline + ": differs from the published file; a published revision does not change: submit a new one with replaces: v1")
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
	check("acme__embed-1/v1: is published but missing here", "acme__embed-1/v2/submission.yaml:19: the system has no revision")
	if err := os.RemoveAll(filepath.Join(f.all, "acme__embed-1")); err != nil {
		t.Fatal(err)
	}
	check("acme__embed-1/v1: is published but missing here")
	if _, err := os.Stat(published.all); err != nil {
		t.Error(err)
	}
}

// TestCheckUsage: command lines that make no sense are usage errors.
func TestCheckUsage(t *testing.T) {
	empty := t.TempDir()
	for _, o := range []options{{format: "yaml"}, {format: "text", base: "a", out: "b"}} {
		if err := o.check(); exitCode(err) != usage.ExitUsage {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, dir := range []string{empty, filepath.Join(empty, "none")} {
		if err := (options{format: "text"}).checkFolders(t.Context(), board(), []string{dir}, nil); exitCode(err) != usage.ExitUsage {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
