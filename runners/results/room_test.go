package results

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/memory"
	"infbench/internal/testkit"
)

// Foreign files of a run folder are refused before they are in memory if their unpacked content
// does not fit.
func TestFoldersOfOthersAskForRoom(t *testing.T) {
	const many = 4 << 20
	line := func(text string) string { return strings.Repeat(text, many/len(text)) }
	for name, c := range map[string]struct {
		text string
		read func(path string, data []byte) error
		full bool // else an error in a line is reported first
	}{
		"queries":           {line("{}\n"), packed, true},
		"documents":         {`{"documents":[` + line("{},") + "{}]}\n", packed, true},
		"one line of blank": {strings.Repeat(" ", 2*longestLine), packed, false},
		"curve":             {line("{}\n"), decodeLines(new([]Evaluation)), true},
		"scores":            {line("{}\n"), decodeScores(new([]Result)), true},
		"blank scores":      {line("\n"), decodeScores(new([]Result)), false},
		"provenance":        {`{"more":[` + line("{},") + "{}]}", decodeJSON(new(Provenance)), true},
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(c.text)
			path := filepath.Join(t.TempDir(), "x")
			if name == "queries" || name == "documents" || name == "one line of blank" {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				if _, err := z.Write(data); err != nil {
					t.Fatal(err)
				}
				if err := z.Close(); err != nil {
					t.Fatal(err)
				}
				data = b.Bytes()
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			defer memory.Limit(memory.Least)()
			var err error
			allocated := testkit.Allocated(func() { err = c.read(path, data) })
			if _, full := errors.AsType[*memory.Full](err); full != c.full && c.full || err == nil {
				t.Errorf("%v", err)
			}
			if most := int64(3 * memory.Least); allocated > most {
				t.Errorf("allocated %d bytes, more than %d", allocated, most)
			}
		})
	}
}

func packed(path string, data []byte) error {
	_, err := readPacked[QueryRecord](path, disk.Sum(data))
	return err
}
