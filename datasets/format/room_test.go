package format

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"

	"infbench/internal/testkit"
)

// bombFile is the environment variable that tells a child process which file to read and keep.
const bombFile = "INFBENCH_TEST_BOMB"

// TestKeepAll is the child of TestBombs: it keeps everything it reads.
func TestKeepAll(t *testing.T) {
	file := os.Getenv(bombFile)
	if file == "" {
		t.Skip("run by TestBombs")
	}
	defer func() { fmt.Println("peak:", peak(t)) }()
	var kept []any
	defer runtime.KeepAlive(kept)
	if strings.Contains(file, "sgml") {
		for r, err := range SGML(file, "doc") {
			if err != nil {
				fmt.Println("said:", err)
				return
			}
			kept = append(kept, r)
		}
	}
	for r, err := range Rows([]string{file}, []Column{{Name: "id", Kind: ID}}) {
		if err != nil {
			fmt.Println("said:", err)
			return
		}
		kept = append(kept, r.Text(0))
	}
	fmt.Println("said: nothing, and", len(kept), "rows")
}

// peak is the peak memory of this process in MiB, 0 where the system does not report it. It is
// measured in the child, since a parent would see its own peak if that were higher.
func peak(t *testing.T) (n int) {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if fmt.Sscan(rest, &n); runtime.GOOS == "linux" && n == 0 {
		t.Errorf("no peak in %s", status)
	}
	return n >> 10
}

// TestBombs: a small file that grows large in memory ends in an error with its position, within the
// memory limit, and never in a crash dump of Go.
func TestBombs(t *testing.T) {
	testkit.Deep(t)
	const limit, most = 128, 200 // MiB; most is for the process including the program
	for name, c := range map[string]struct {
		write func(t *testing.T, path string)
		said  string // printed after the file's name
	}{
		"line.jsonl.gz":    {packed(`{"id": "`, "x", 80<<20), ":1: line longer than 67108864 bytes"},
		"line.json.zst":    {packed(`{"id": "`, "x", 80<<20), ":1: line longer than 67108864 bytes"},
		"array.json.zst":   {packed(`[`, "1,", 80<<20), ":1: line longer than 67108864 bytes"},
		"lines.jsonl.zst":  {packed("", `{"id": "a text of some thirty bytes"}`+"\n", 160<<20), "needs at least "},
		"line.tsv.zst":     {packed("id\n", "x", 80<<20), ":2: line longer than 67108864 bytes"},
		"fields.tsv.zst":   {packed("id\n", "\t", 50<<20), ":2: needs at least "},
		"lines.tsv.zst":    {packed("id\n", "a text of some thirty bytes\n", 160<<20), "needs at least "},
		"quoted.csv.zst":   {packed("id\n\"", "x\n", 80<<20), ":2: record longer than 67108864 bytes"},
		"header.csv.zst":   {packed("", "x,", 60<<20), ":1: needs at least "},
		"lines.csv.zst":    {packed("id\n", "a text of some thirty bytes\n", 160<<20), "needs at least "},
		"open.sgml.zst":    {packed("<doc>\n", "text\n", 80<<20), ":1: record longer than "},
		"list.jsonl.zst":   {packed(`{"id": [`, "1,", 20<<20), ":1: malformed JSON"},
		"line.sgml.zst":    {packed("<doc>", "text ", 80<<20), ":1: line longer than 67108864 bytes"},
		"records.sgml.zst": {packed("", "<doc><docno>a</docno>some text of a document</doc>\n", 160<<20), "needs at least "},
		"value.parquet":    {parquetOf(100_000, 1000, false), "a page of "},
		"repeated.parquet": {parquetOf(1<<20, 1000, true), "row group 0, row "},
		"footer.parquet":   {longFooter, "a list of 1000000000 in the "},
		"long.parquet":     {longerFooter, "a footer of 2147483647 bytes in a file of"},
		"blank.json.zst":   {packed("", "\n", 4<<20), "nothing, and 0 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			c.write(t, path)
			child := exec.Command(os.Args[0], "-test.run", "^TestKeepAll$")
			child.Env = append(os.Environ(), bombFile+"="+path, fmt.Sprintf("GOMEMLIMIT=%dMiB", limit))
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %.2000s", err, out)
			}
			_, said, _ := strings.Cut(string(out), "said: ")
			if said, _, _ = strings.Cut(said, "\n"); !strings.Contains(said, c.said) || !strings.Contains(said, path) && !strings.HasPrefix(said, "nothing") {
				t.Errorf("said %q, want the file and %q", said, c.said)
			}
			_, rest, _ := strings.Cut(string(out), "peak:")
			var peak int
			fmt.Sscan(rest, &peak)
			if t.Logf("peak %d MiB: %s", peak, said); peak > most {
				t.Errorf("took %d MiB of the %d that it may", peak, limit)
			}
		})
	}
}

// packed writes begin and then piece repeatedly, size bytes in all, compressed as the name says.
func packed(begin, piece string, size int) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		var file bytes.Buffer
		var w io.WriteCloser
		if strings.HasSuffix(path, ".gz") {
			w, _ = gzip.NewWriterLevel(&file, gzip.BestSpeed)
		} else {
			w, _ = zstd.NewWriter(&file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		}
		block := []byte(strings.Repeat(piece, 1<<20/len(piece)))
		_, err := io.WriteString(w, begin)
		for n := 0; n < size && err == nil; n += len(block) {
			_, err = w.Write(block)
		}
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			err = os.WriteFile(path, file.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// parquetOf writes rows with the same text, stored once in a dictionary or repeated in one page.
func parquetOf(rows, length int, dictionary bool) func(*testing.T, string) {
	type row struct {
		ID string `parquet:"id,zstd"`
	}
	return func(t *testing.T, path string) {
		t.Helper()
		var file bytes.Buffer
		options := []parquet.WriterOption{parquet.PageBufferSize(1 << 30)}
		if dictionary {
			schema := parquet.NewSchema("row", parquet.Group{"id": parquet.Encoded(parquet.Compressed(parquet.String(), &parquet.Zstd), &parquet.RLEDictionary)})
			options = append(options, schema)
		}
		w := parquet.NewGenericWriter[row](&file, options...)
		same := make([]row, min(rows, 1000))
		for i := range same {
			same[i].ID = strings.Repeat("x", length)
		}
		for n := 0; n < rows; n += len(same) {
			if _, err := w.Write(same); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// longFooter writes a footer whose list of columns claims a billion of them.
func longFooter(t *testing.T, path string) {
	footer := []byte{0x15, 0x02, 0x19, 0xf0 | byte(thrift.STRUCT)} // version 1; the schema: a list of structures
	footer = binary.AppendUvarint(footer, 1_000_000_000)
	file := append([]byte("PAR1"), footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	if err := os.WriteFile(path, append(file, "PAR1"...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// longerFooter writes a footer that claims a length of two gigabytes.
func longerFooter(t *testing.T, path string) {
	file := binary.LittleEndian.AppendUint32([]byte("PAR1"), 1<<31-1)
	if err := os.WriteFile(path, append(file, "PAR1"...), 0o600); err != nil {
		t.Fatal(err)
	}
}
