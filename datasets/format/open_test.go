package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"infbench/metrics/trec"
)

// wide encodes text in UTF-16 or, with size 4, UTF-32.
func wide(text string, order binary.AppendByteOrder, size int) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if size == 4 {
			b = order.AppendUint32(b, uint32(unit))
		} else {
			b = order.AppendUint16(b, unit)
		}
	}
	return string(b)
}

// TestTextStart reads files of all kinds with a byte order mark, packed or not, like those without,
// and rejects other encodings by name.
func TestTextStart(t *testing.T) {
	kinds := map[string]struct {
		text string
		read func(path string) (string, error)
	}{
		"x.run": {"q Q0 d 1 2 t\n", func(path string) (string, error) {
			run, tag, err := OpenRun(path, trec.Options{})
			return fmt.Sprint(run, tag), err
		}},
		"x.qrels": {"q 0 d 1\n", func(path string) (string, error) {
			qrels, err := OpenQrels(path, trec.Options{})
			return fmt.Sprint(qrels), err
		}},
		"changed.txt": {"q d\n", func(path string) (string, error) {
			c, err := ReadFile(path, trec.ReadChanged)
			return fmt.Sprint(c), err
		}},
		"subtopics.txt": {"q a d 1\n", func(path string) (string, error) {
			s, err := ReadFile(path, trec.ReadSubtopics)
			return fmt.Sprint(s), err
		}},
		"x.sgml":  {"<DOC>\n<DOCNO>1</DOCNO>\nx\n</DOC>\n", readSGML},
		"x.jsonl": {"{\"id\": \"a\"}\n{\"id\": \"b\"}\n", readIDs},
		"x.tsv":   {"id\nb\na\n", readIDs},
		"x.csv":   {"\"id\"\nb\na\n", readIDs},
	}
	for name, k := range kinds {
		want, err := k.read(writeText(t, name, k.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, ending := range []string{"", ".gz", ".zst"} {
			path := writeText(t, name+ending, pack(t, name+ending, "\ufeff"+k.text))
			if got, err := k.read(path); err != nil || got != want {
				t.Errorf("%s%s with a byte order mark: %s, %v, want %s", name, ending, got, err, want)
			}
			for encoding, text := range map[string]string{
				"UTF-16 LE": wide("\ufeff"+k.text, binary.LittleEndian, 2), "UTF-16 BE": wide("\ufeff"+k.text, binary.BigEndian, 2),
				"UTF-16 LE without a mark": wide(k.text, binary.LittleEndian, 2), "UTF-16 BE without a mark": wide(k.text, binary.BigEndian, 2),
				"UTF-32 LE": wide("\ufeff"+k.text, binary.LittleEndian, 4), "UTF-32 BE": wide("\ufeff"+k.text, binary.BigEndian, 4),
			} {
				path := writeText(t, name+ending, pack(t, name+ending, text))
				if got, err := k.read(path); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "UTF-16") {
					t.Errorf("%s%s in %s: %s, %v, want an error with file and encoding", name, ending, encoding, got, err)
				}
			}
		}
	}
}

func readSGML(path string) (string, error) {
	var all []Record
	for r, err := range SGML(path, "doc") {
		if err != nil {
			return "", err
		}
		all = append(all, r)
		all[len(all)-1].Pos.File = ""
	}
	return fmt.Sprint(all), nil
}

// readIDs reads the column id twice, the second time by ReadAt.
func readIDs(path string) (string, error) {
	var ids []string
	var at []int64
	cols := []Column{{Name: "id", Kind: ID}}
	for r, err := range Rows([]string{path}, cols) {
		if err != nil {
			return "", err
		}
		ids, at = append(ids, r.Text(0)), append(at, r.At)
	}
	for r, err := range ReadAt(path, cols, at) {
		if err != nil {
			return "", err
		}
		ids = append(ids, r.Text(0))
	}
	return strings.Join(ids, " "), nil
}

// TestUnreadPackings checks that the error of an unsupported packing names it, found by content or
// by name.
func TestUnreadPackings(t *testing.T) {
	for name, magic := range map[string]string{
		"bzip2": "BZh91AY&SY\x00", "xz": "\xfd7zXZ\x00\x00\x04", "zip": "PK\x03\x04\x14\x00", "7z": "7z\xbc\xaf\x27\x1c\x00\x04",
		"lz4": "\x04\x22\x4d\x18\x64\x40", "rar": "Rar!\x1a\x07\x01\x00", "lzip": "LZIP\x01\x0c", "lzma": "\x5d\x00\x00\x80\x00",
		"compress": "\x1f\x9d\x90", "snappy": "\xff\x06\x00\x00sNaPpY",
	} {
		path := writeText(t, "x.run", magic)
		want := path + ": the file is packed with " + name + ", which is not supported"
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for ending, name := range map[string]string{".bz2": "bzip2", ".XZ": "xz", ".zip": "zip", ".7z": "7z", ".lz4": "lz4", ".Z": "compress"} {
		path := writeText(t, "corpus.jsonl"+ending, "{}")
		want := "packed with " + name
		if err := Check([]string{path}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if strings.ToLower(ending) != ending {
			continue
		}
		if _, err := Find(strings.TrimSuffix(path, ending)); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), want) {
			t.Errorf("find beside %s: %v, want %q", path, err, want)
		}
	}
	if _, err := Find(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("find nothing: %v", err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x.gz"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := Find(filepath.Join(dir, "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder of the name: %q, %v", path, err)
	}
}
