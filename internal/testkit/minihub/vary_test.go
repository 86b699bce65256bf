package minihub

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"infbench/datasets"
	"infbench/internal/testkit"
)

// varied returns a data set in another form that others may publish: tables in shards, with
// columns in another order, an additional column, small row groups and another compression;
// compressed JSON lines with keys in another order; a longer card.
func varied(t *testing.T, r Repository) Repository {
	t.Helper()
	files := map[string][]byte{}
	readme := string(r.Files["README.md"])
	for _, name := range r.names() {
		content := r.Files[name]
		switch {
		case strings.HasSuffix(name, "-00000-of-00001.parquet"):
			for i, part := range reparted(t, content, 3) {
				files[strings.Replace(name, "-00000-of-00001", fmt.Sprintf("-%05d-of-00003-0123456789abcdef", i), 1)] = part
			}
		case strings.HasSuffix(name, ".parquet"):
			files[name] = reparted(t, content, 1)[0]
		case strings.HasSuffix(name, ".jsonl"):
			files[name+".gz"] = zipped(t, rekeyed(t, content))
			readme = regexp.MustCompile(`(?m)path: `+regexp.QuoteMeta(name)+`$`).ReplaceAllString(readme, "path: "+name+".gz")
		case name != "README.md":
			files[name] = content
		}
	}
	if readme != "" {
		readme = strings.Replace(readme, "---\n", "---\nlanguage:\n- en\ndataset_info:\n- config_name: other\n  features:\n  - name: x\n    dtype: string\n", 1)
		files["README.md"] = []byte(strings.ReplaceAll(readme, "\n", "\r\n"))
	}
	return Repository{Kind: r.Kind, ID: r.ID, Commit: r.Commit, Gated: r.Gated, Files: files}
}

// reparted distributes the rows of a table over n others.
func reparted(t *testing.T, content []byte, n int) (parts [][]byte) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	group := parquet.Group{"__index_level_0__": parquet.Optional(parquet.Int(64))} // the index of a pandas table
	for _, field := range f.Schema().Fields() {
		group[field.Name()] = field
	}
	schema := parquet.NewSchema("schema", group) // by name
	conversion, err := parquet.Convert(schema, f.Schema())
	if err != nil {
		t.Fatal(err)
	}
	var all []parquet.Row
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		for {
			var one [1]parquet.Row
			k, err := rows.ReadRows(one[:])
			if k == 1 {
				all = append(all, one[0].Clone())
			}
			if err != nil || k == 0 {
				if err != nil && !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				break
			}
		}
		rows.Close()
	}
	if _, err := conversion.Convert(all); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		var b bytes.Buffer
		w := parquet.NewWriter(&b, schema, parquet.Compression(&parquet.Zstd))
		for _, row := range all[len(all)*i/n : len(all)*(i+1)/n] {
			if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, b.Bytes())
	}
	return parts
}

// rekeyed sorts the keys of JSON lines by name and adds one.
func rekeyed(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for line := range bytes.Lines(content) {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		row["__index"] = nil
		data, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(data, "\r\n"...))
	}
	return out.Bytes()
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// contents returns the contents of data sets after fetching them from a hub: queries,
// judgments, pairs and documents of benchmarks, records of training sets.
func contents(t *testing.T, repos []Repository) map[string]any {
	t.Helper()
	serve(t, NewHub("", repos...), "")
	all := map[string]any{}
	for _, name := range trainingSets {
		fetchTraining(t, name)
		records, err := datasets.LoadRecords(name, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var list []datasets.Record
		for r, err := range records.All() {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			list = append(list, r)
		}
		all[name] = list
	}
	for name := range benchmarks {
		fetchBenchmark(t, name)
		b, err := datasets.Load(name, datasets.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, task := range b.Tasks {
			var docs []datasets.Document
			for d, err := range task.Corpus.Documents() {
				if err != nil {
					t.Fatalf("%s/%s: %v", name, task.Name, err)
				}
				docs = append(docs, d)
			}
			all[name+"/"+task.Name] = []any{task.Queries, task.Qrels, task.Pairs, task.Candidates, task.Aspects, docs}
		}
	}
	return all
}

// TestVariedData: the same data in other shards, orders and compressions are read as the
// same.
func TestVariedData(t *testing.T) {
	testkit.Deep(t)
	var others []Repository
	for _, r := range Datasets() {
		v := varied(t, r)
		for name, content := range v.Files {
			if ext := path.Ext(name); (ext == ".parquet" || ext == ".gz") && bytes.Equal(content, r.Files[name]) {
				t.Errorf("%s: %s is as it was", r.ID, name)
			}
		}
		others = append(others, v)
	}
	want, got := contents(t, Datasets()), contents(t, others)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: %.300v, want %.300v", name, fmt.Sprint(got[name]), fmt.Sprint(want[name]))
		}
	}
	if len(want) < 40 {
		t.Errorf("%d tasks and training sets", len(want))
	}
}
