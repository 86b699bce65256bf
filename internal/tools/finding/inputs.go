package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/tools/beir"
	"infbench/internal/tools/pretrained"
	"infbench/internal/tools/pyenv"
)

// The inputs of the experiments, from the root of the repository.
const (
	inputs   = "corpora/followtable"
	minilm   = inputs + "/all-MiniLM-L6-v2"
	sets     = inputs + "/sets" // three sets of FollowTable
	tarx     = inputs + "/tarx" // the test of the first fold
	avoid    = inputs + "/tarx-avoid"
	wtr      = inputs + "/wtr" // the test of the second
	records  = inputs + "/records"
	shuffled = inputs + "/shuffled"
	records2 = inputs + "/records-fold2"
	shuffle2 = inputs + "/shuffled-fold2"
)

// others is the number of tables of a test that nobody judged.
const others = 800

// prepare makes the inputs that are missing.
func (s *settings) prepare(ctx context.Context) error {
	folder, err := pyenv.Folder()
	if err != nil {
		return err
	}
	if err := once(minilm, func(dir string) error {
		from, err := pretrained.MiniLM(ctx, s.out, folder)
		if err != nil {
			return err
		}
		return copyAll(dir, from)
	}); err != nil {
		return err
	}
	for _, set := range []string{"IndusTR", "WTR", "TArX"} {
		from := filepath.Join(s.shared, "data", "followtable", set)
		if _, err := disk.Stat(from); err != nil {
			return pyenv.Absent{Why: "shared data absent at " + from}
		}
		if err := once(filepath.Join(sets, set), func(dir string) error { return copyAll(dir, from) }); err != nil {
			return err
		}
	}
	for _, t := range []struct {
		dir, set string
		asked    func(query) bool
	}{{tarx, "TArX", all}, {avoid, "TArX", ofKind("2.1")}, {wtr, "WTR", all}} {
		if err := once(t.dir, func(dir string) error { return writeTest(dir, filepath.Join(sets, t.set), t.asked, others) }); err != nil {
			return err
		}
	}
	for _, dir := range []string{sets, tarx, avoid, wtr} {
		if _, err := disk.Stat(filepath.Join(dir, ".infbench-private")); err == nil {
			continue
		}
		if err := s.command(ctx, "data", "import", dir, "--name", "finding-"+filepath.Base(dir), "--private", "--lock", inputs+"/infbench.lock"); err != nil {
			return err
		}
	}
	for _, r := range []struct {
		dir, test string
		tasks     []string
		more      []string
	}{
		{records, "tarx", []string{"IndusTR", "WTR"}, nil},
		{shuffled, "tarx", []string{"IndusTR", "WTR"}, []string{"--shuffle-instructions"}},
		{records2, "wtr", []string{"IndusTR", "TArX"}, nil},
		{shuffle2, "wtr", []string{"IndusTR", "TArX"}, []string{"--shuffle-instructions"}},
	} {
		if _, err := disk.Stat(filepath.Join(r.dir, "records.json")); err == nil {
			continue
		}
		args := append([]string{"data", "records", "./" + sets, "--test", "./" + sets, "--out", r.dir}, r.more...)
		for _, task := range r.tasks {
			args = append(args, "--task", task)
		}
		if err := s.command(ctx, args...); err != nil {
			return err
		}
		if err := s.command(ctx, "data", "overlap", "./"+r.dir, "./"+inputs+"/"+r.test); err != nil {
			return err
		}
	}
	return nil
}

// once makes a folder completely or not at all.
func once(dir string, fill func(dir string) error) error {
	if _, err := disk.Stat(dir); err == nil {
		return nil
	}
	made := disk.Temporary(dir)
	if err := os.MkdirAll(made, 0o755); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}
	return os.Rename(made, dir)
}

// copyAll copies the files of a folder into a new one.
func copyAll(dir, from string) error {
	return fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		return disk.WriteBytes(filepath.Join(dir, name), text)
	})
}

// query is a query of FollowTable with an instruction; its ID is TOPIC_NUMBER.
type query struct {
	ID       string `json:"_id"`
	Metadata struct {
		Type string `json:"instruction_type"`
	}
}

func (q query) topic() string {
	topic, _, _ := strings.Cut(q.ID, "_")
	return topic
}

func all(query) bool { return true }

func ofKind(kind string) func(query) bool {
	return func(q query) bool { return q.Metadata.Type == kind }
}

// firstTopics chooses the queries of the first n topics.
func firstTopics(n int) func(query) bool {
	seen := map[string]bool{}
	return func(q query) bool {
		if len(seen) < n {
			seen[q.topic()] = true
		}
		return seen[q.topic()]
	}
}

// writeTest writes a set of FollowTable as a smaller test: the queries that asked chooses, the
// judged tables of all queries, and so many others, drawn by a fixed seed. Without others, it has
// only the tables that are judged for the chosen queries.
func writeTest(dir, set string, asked func(query) bool, others int) error {
	narrowed, kept := set+"/queries.jsonl.gz", map[string]bool{}
	queries, err := beir.Filter(narrowed, func(line []byte) (bool, error) {
		var q query
		err := json.Unmarshal(line, &q)
		if err != nil || !asked(q) {
			return false, err
		}
		kept[q.ID], kept[q.topic()] = true, true
		return true, nil
	})
	if err != nil {
		return err
	}
	bare, err := beir.Filter(set+"/only_queries.jsonl.gz", func(line []byte) (bool, error) {
		id, err := beir.ID(line)
		return kept[id], err
	})
	if err != nil {
		return err
	}
	written := map[string][]byte{"queries.jsonl": queries, "only_queries.jsonl": bare}
	judged := map[string]bool{}
	for _, name := range []string{"qrels/test.tsv", "qrels/for_only_query_test.tsv"} {
		if written[name], err = beir.Filter(filepath.Join(set, name), func(line []byte) (bool, error) {
			query, rest, _ := strings.Cut(string(line), "\t")
			doc, _, _ := strings.Cut(rest, "\t")
			judged[doc] = judged[doc] || kept[query] || others > 0
			return query == "query-id" || kept[query], nil
		}); err != nil {
			return err
		}
	}
	var rest []string
	if _, err := beir.Filter(set+"/corpus.jsonl.gz", func(line []byte) (bool, error) {
		id, err := beir.ID(line)
		if !judged[id] {
			rest = append(rest, id)
		}
		return false, err
	}); err != nil {
		return err
	}
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(rest), func(i, k int) { rest[i], rest[k] = rest[k], rest[i] })
	rest = rest[:min(others, len(rest))]
	if written["corpus.jsonl"], err = beir.Filter(set+"/corpus.jsonl.gz", func(line []byte) (bool, error) {
		id, err := beir.ID(line)
		return judged[id] || slices.Contains(rest, id), err
	}); err != nil {
		return err
	}
	for name, text := range written {
		if err := disk.WriteBytes(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}
