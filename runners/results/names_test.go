package results

import (
	"strings"
	"testing"

	"infbench/internal/disk"
)

// File names of tasks are valid for file systems whatever the task's name, differ between
// tasks, and begin with the benchmark's name. Short names are unchanged.
func TestLongTaskFiles(t *testing.T) {
	if got := TaskFile("a/b", strings.Repeat("c", 221)); got != "a_b."+strings.Repeat("c", 221) {
		t.Errorf("a name that fits is %s", got)
	}
	files := map[string]string{}
	for _, letter := range []string{"n", "ü"} {
		for _, benchmark := range []int{1, 100, 200, 201, 300} {
			for _, task := range []int{1, 24, 120, 250, 400} {
				for _, last := range []string{"", "x", "y"} {
					b, name := strings.Repeat(letter, benchmark), strings.Repeat(letter, task)+last
					file := TaskFile(b, name)
					if len(file)+len(".original"+packedJudgments) > disk.MostName || !strings.HasPrefix(file, FileName(b)+".") {
						t.Errorf("%d and %d letters: %d bytes: %s", benchmark, task, len(file), file)
					}
					if other := files[file]; other != "" && other != b+"."+name && letter == "n" {
						t.Errorf("%s is the file of two tasks", file)
					}
					files[file] = b + "." + name
				}
			}
		}
	}
}
