package datasets

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// titledRow is a document whose text and title may be null.
type titledRow struct {
	ID    string  `parquet:"_id"`
	Text  *string `parquet:"text"`
	Title *string `parquet:"title"`
}

// writeTitled writes parquet rows; a text of "-" is null, and so is a title.
func writeTitled(rows [][3]string, options ...parquet.WriterOption) func(path string) error {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		w := parquet.NewGenericWriter[titledRow](f, options...)
		for _, r := range rows {
			row := titledRow{ID: r[0]}
			if r[1] != "-" {
				row.Text = &r[1]
			}
			if r[2] != "-" {
				row.Title = &r[2]
			}
			if _, err := w.Write([]titledRow{row}); err != nil {
				return err
			}
		}
		return w.Close()
	}
}

// bareParquet is a file without statistics, written by pyarrow 26.0.1 with write_statistics=False:
// documents a with a text and b without, both with a title.
const bareParquet = "UEFSMRUAFSAVICwVBBUAFQYVBhwAAAACAAAABAEBAAAAYQEAAABiFQAVFhUWLBUEFQAVBhUGHAAAAAIAAAADAQEAAAB4FQAVIBUgLBUEFQAVBhUGHAAAAAIAAAAEAQEAAA" +
	"BBAQAAAEIVBBlMNQAYBnNjaGVtYRUGABUMJQIYA19pZCUATBwAAAAVDCUCGAR0ZXh0JQBMHAAAABUMJQIYBXRpdGxlJQBMHAAAABYEGRwZPCYAHBUMGSUGABkYA19pZBUA" +
	"FgQWRhZGJghJHBUAFQAVAgA8FgQZBhkmAAQAAAAmABwVDBklBgAZGAR0ZXh0FQAWBBY8FjwmTkkcFQAVABUCADwWAhkGGSYCAgAAACYAHBUMGSUGABkYBXRpdGxlFQAWBB" +
	"ZGFkYmigFJHBUAFQAVAgA8FgQZBhkmAAQAAAAWyAEWBCYIFsgBACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZPBwAABwAABwAAAARAQAAUEFSMQ=="

// TestTextless reads documents with a title and a text that is null or missing: in every format the
// text is empty and counted. A file without the column is rejected, and so is a document that has
// neither.
func TestTextless(t *testing.T) {
	text := func(lines ...string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644) }
	}
	full := [3]string{"a", "x", "A"}
	want := func(texts ...string) []string { return texts }
	for name, c := range map[string]struct {
		file  string
		write func(path string) error
		texts []string // of the documents, in order
		count int
		err   string
	}{
		"null":               {"c.jsonl", text(`{"_id":"a","text":"x","title":"A"}`, `{"_id":"b","text":null,"title":"B"}`), want("x", ""), 1, ""},
		"missing":            {"c.jsonl", text(`{"_id":"b","title":"B"}`, `{"_id":"a","text":"x","title":"A"}`, `{"_id":"c","title":"C"}`), want("", "x", ""), 2, ""},
		"all null":           {"c.jsonl", text(`{"_id":"b","text":null,"title":"B"}`), want(""), 1, ""},
		"another name":       {"c.jsonl", text(`{"id":"a","text":null,"content":"x"}`, `{"id":"b","content":null,"title":"B"}`), want("x", ""), 1, ""},
		"empty is no null":   {"c.jsonl", text(`{"_id":"a","text":"","title":"A"}`, `{"_id":"b","text":""}`), want("", ""), 0, ""},
		"given twice":        {"c.jsonl", text(`{"_id":"a","text":"x"}`, `{"_id":"b","title":"B"}`, `{"_id":"b","title":"B"}`), want("x", ""), 1, ""},
		"in no row":          {"c.jsonl", text(`{"_id":"a","title":"A","body":"x"}`, `{"_id":"b","title":"B"}`), nil, 0, `c.jsonl: no column "text|content|doc|document_content" (string) in any row; the first row has ["_id" "title" "body"]`},
		"neither":            {"c.jsonl", text(`{"_id":"a","text":"x"}`, `{"_id":"b","text":null,"title":""}`), nil, 0, `c.jsonl:2: column "text|content|doc|document_content" is missing or null`},
		"number":             {"c.jsonl", text(`{"_id":"a","text":5,"title":"A"}`), nil, 0, `found number, want string`},
		"CSV":                {"c.csv", text("_id,title,text", "a,A,x", "b,B,", "c,,"), want("x", "", ""), 1, ""},
		"CSV without":        {"c.csv", text("_id,title,body", "a,A,x"), nil, 0, `c.csv:1: no column "text|content|doc|document_content" (string); the header has ["_id" "title" "body"]`},
		"TSV":                {"c.tsv", text("_id\ttitle\ttext", "a\tA\tx", "b\tB\t"), want("x", ""), 1, ""},
		"parquet":            {"c.parquet", writeTitled([][3]string{full, {"b", "-", "B"}, {"c", "", "C"}}), want("x", "", ""), 1, ""},
		"parquet, no nulls":  {"c.parquet", writeTitled([][3]string{full, {"b", "", "B"}}), want("x", ""), 0, ""},
		"parquet, row group": {"c.parquet", writeTitled([][3]string{full, full, {"b", "-", "B"}}, parquet.MaxRowsPerRowGroup(1)), want("x", ""), 1, ""},
		"parquet, no bounds": {"c.parquet", writeTitled([][3]string{full, {"b", "-", "B"}}, parquet.SkipPageBounds("text")), want("x", ""), 1, ""},
		"parquet, no statistics": {"c.parquet", func(path string) error {
			data, err := base64.StdEncoding.DecodeString(bareParquet)
			if err != nil {
				return err
			}
			return os.WriteFile(path, data, 0o644)
		}, want("x", ""), 1, ""},
		"parquet, neither": {"c.parquet", writeTitled([][3]string{full, {"b", "-", "-"}}), nil, 0, `c.parquet: row group 0, row 1: column "text|content|doc|document_content" is missing or null`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			if err := c.write(path); err != nil {
				t.Fatal(err)
			}
			docs, err := OpenCorpus([]string{path})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var ids, texts []string
			for _, d := range readAll(t, docs) {
				ids, texts = append(ids, d.ID), append(texts, d.Text)
			}
			if fmt.Sprintf("%q", texts) != fmt.Sprintf("%q", c.texts) {
				t.Errorf("texts %q, want %q", texts, c.texts)
			}
			found, err := docs.Lookup(ids)
			if err != nil || len(found) != len(ids) {
				t.Errorf("found %v, %v", found, err)
			}
			task := &Task{}
			task.warnDocuments(docs)
			said := fmt.Sprintf("%d of %d documents have a title and no text", c.count, docs.Len())
			if docs.Textless() != c.count || (strings.Contains(strings.Join(task.Warnings, "\n"), said)) != (c.count > 0) {
				t.Errorf("%d without text, want %d; warnings %q", docs.Textless(), c.count, task.Warnings)
			}
		})
	}
}
