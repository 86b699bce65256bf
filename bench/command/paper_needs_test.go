package command

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// For each experiment file of the paper, the page on the paper has the numbers that plan
// prints from an empty cache: trials, and the memory of the largest cell.
func TestPaperNeeds(t *testing.T) {
	section := pageSection(t, "The paper")
	files, err := filepath.Abs("../experiments")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	row := regexp.MustCompile("(?m)^\\| `(paper-[a-z0-9-]+\\.yaml)` \\| (\\d+) \\| (\\d+) \\| (\\S+) \\| (.+) \\|$")
	found := row.FindAllStringSubmatch(section, -1)
	if all, err := filepath.Glob(filepath.Join(files, "paper-*.yaml")); err != nil || len(found) != len(all) {
		t.Fatalf("%d rows of %d files, %v", len(found), len(all), err)
	}
	for _, r := range found {
		out := verbOutput(t, "plan", filepath.Join(files, r[1]))
		for _, want := range []string{fmt.Sprintf("%s trials, %s to run; %s train,", r[2], r[2], r[3]), fmt.Sprintf("the largest cell (%s) takes %s of memory", r[4], r[5])} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: plan does not print %q", r[1], want)
			}
		}
	}
}
