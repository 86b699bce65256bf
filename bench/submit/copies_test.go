package submit

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCopies: rankings that another row of the board has are named, with other scores, tags or
// depths, in part, from a published submission or from a run folder of the board. Other rankings
// and other revisions of the same system are not.
func TestCopies(t *testing.T) {
	const note = "rankings are the same as those of "
	rewrite := func(change func(n int, fields []string) []string) func(*fixture) {
		return func(f *fixture) {
			f.without("scores")
			for name, text := range f.files {
				if !strings.HasPrefix(name, "runs/") {
					continue
				}
				var lines []string
				for line := range strings.Lines(text) {
					if fields := change(len(lines), strings.Fields(line)); fields != nil {
						lines = append(lines, strings.Join(fields, " "))
					}
				}
				f.files[name] = strings.Join(lines, "\n") + "\n"
			}
		}
	}
	reversed := rewrite(func(n int, f []string) []string { f[3], f[4] = fmt.Sprint(n+1), "-"+f[4]; return f })
	for name, c := range map[string]struct {
		change func(*fixture)
		org    string
		want   string
	}{
		"as it is":     {func(*fixture) {}, "globex__copy", "160 of 160 " + note + "acme/embed-1 v1"},
		"other scores": {rewrite(func(n int, f []string) []string { f[4] = fmt.Sprint(1 / (1 + float64(n))); return f }), "globex__copy", "160 of 160 " + note},
		"other tag":    {rewrite(func(n int, f []string) []string { f[5] = "mine"; return f }), "globex__copy", "160 of 160 " + note},
		"one query of them": {rewrite(func(n int, f []string) []string {
			if n < 60 {
				f[4] = "-" + f[4]
			}
			return f
		}), "globex__copy", "159 of 160 " + note},
		"less deep": {rewrite(func(n int, f []string) []string {
			if f[3] > "5" || len(f[3]) > 1 {
				return nil
			}
			return f
		}), "globex__copy", "160 of 160 " + note},
		"other rankings":   {reversed, "globex__own", ""},
		"another revision": {func(f *fixture) { f.files[DeclarationFile] += "replaces: v1\n" }, "acme__embed-1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			first := newFixture(t, "mini-followir")
			first.dir()
			f := newFixture(t, "mini-followir")
			f.all, f.org, f.rev = first.all, c.org, "v2"
			f.replace(DeclarationFile, "acme/embed-1", strings.Replace(c.org, "__", "/", 1))
			f.replace(DeclarationFile, "revision: v1", "revision: v2")
			f.replace(DeclarationFile, "depth: 100", "depth: 1000")
			c.change(f)
			f.dir()
			check := func(where string, o options, dirs ...string) {
				t.Helper()
				s, err := summary(t, o, dirs...)
				if err != nil {
					t.Fatalf("%v: %v", err, s.faults(f.all))
				}
				at := slices.IndexFunc(s.Submissions, func(r Report) bool { return r.Revision == "v2" })
				notes := strings.Join(s.Submissions[at].Notes, "\n")
				if found := strings.Contains(notes, headline+": "+c.want); strings.Contains(notes, note) != (c.want != "") || c.want != "" && !found {
					t.Errorf("%s: notes %q, want %q", where, notes, c.want)
				}
			}
			check("next to it", options{}, f.all)
			base := t.TempDir()
			first.all = base
			first.dir()
			check("published", options{base: base}, f.all)
			if c.org == "acme__embed-1" {
				return
			}
			board := filepath.Join(t.TempDir(), "board")
			if _, err := summary(t, options{out: board}, filepath.Join(base, "acme__embed-1")); err != nil {
				t.Fatal(err)
			}
			c.want = strings.Replace(c.want, "acme/embed-1 v1", "acme/embed-1", 1)
			check("in a run folder", options{}, filepath.Join(f.all, f.org), board)
		})
	}
}
