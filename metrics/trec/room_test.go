package trec

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"infbench/internal/memory"
	"infbench/internal/testkit"
)

// Short lines take much more memory than their text: all readers request it before they
// allocate.
func TestReadersAskForRoom(t *testing.T) {
	run := func(r io.Reader) error { _, _, err := Options{}.ReadRun(r, "x"); return err }
	qrels := func(r io.Reader) error { _, err := Options{}.ReadQrels(r, "x"); return err }
	subtopics := func(r io.Reader) error { _, err := ReadSubtopics(r, "x"); return err }
	for name, c := range map[string]struct {
		line func(n int) string
		read func(io.Reader) error
	}{
		"queries of a run":     {func(n int) string { return fmt.Sprintf("%x 0 d 1 1 t\n", n) }, run},
		"queries by turns":     {func(n int) string { return fmt.Sprintf("%d 0 %x 1 1 t\n", n&1, n) }, run},
		"queries of qrels":     {func(n int) string { return fmt.Sprintf("%x 0 d 1\n", n) }, qrels},
		"queries of subtopics": {func(n int) string { return fmt.Sprintf("%x 0 d 1\n", n) }, subtopics},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			for n := range 600_000 {
				text.WriteString(c.line(n))
			}
			defer memory.Limit(memory.Least)()
			var err error
			allocated := testkit.Allocated(func() { err = c.read(strings.NewReader(text.String())) })
			if _, full := errors.AsType[*memory.Full](err); !full {
				t.Errorf("%v", err)
			}
			if allocated > 3*memory.Least {
				t.Errorf("allocated %d bytes", allocated)
			}
		})
	}
	allocated := testkit.Allocated(func() {
		if err := run(strings.NewReader("q 0 d 1 1 t\n" + strings.Repeat("\n", 4<<20))); err != nil {
			t.Error(err)
		}
	})
	if allocated > 24<<20 {
		t.Errorf("lines that say nothing: %d bytes", allocated)
	}
}
