package submit

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"infbench/internal/memory"
	"infbench/internal/testkit"
)

// TestCheckRoom: a compressed ranking of a few kilobytes that expands to more lines than the
// task can have is refused early, and queries that the task does not have take no memory.
func TestCheckRoom(t *testing.T) {
	for name, c := range map[string]struct {
		line func(n int) string
		want string
	}{
		"unknown queries":     {func(n int) string { return fmt.Sprintf("%x 0 d 1 1 t\n", n) }, `more than`},
		"one unknown query":   {func(n int) string { return "nobody 0 d 1 1 t\n" }, "more than"},
		"one document":        {func(n int) string { return "q1 0 d 1 1 t\n" }, "more than"},
		"lines that say none": {func(n int) string { return "\n" }, "more than"},
		"comments":            {func(n int) string { return "# " + strings.Repeat("x", 100) + "\n" }, "more than"},
		"an endless line":     {func(n int) string { return strings.Repeat("x", 1<<16) }, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			var packed bytes.Buffer
			z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
			if err != nil {
				t.Fatal(err)
			}
			for n, size := 0, 0; n < 40_000 && size < 8<<20; n++ {
				line := c.line(n)
				size += len(line)
				if _, err := io.WriteString(z, line); err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, "mini-followir")
			delete(f.files, headline)
			f.files[headline+".gz"] = packed.String()
			dir := f.dir()
			defer memory.Limit(memory.Least)()
			grown := testkit.Allocated(func() {
				s, err := summary(t, options{}, dir)
				if all := strings.Join(s.faults(f.all), "\n"); err == nil || !strings.Contains(all, c.want) {
					t.Errorf("%v, faults %s", err, all)
				}
			})
			if grown > 64<<20 {
				t.Errorf("allocated %d bytes for a file of %d", grown, packed.Len())
			}
		})
	}
}
