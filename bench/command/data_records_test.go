package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets/hub"
	"infbench/internal/testkit/minihub"
	"infbench/internal/usage"
)

// narrowedSet returns the files of a set of FollowTable in BEIR's form, below dir: two topics of
// its own, each with a table for each of two instructions and one for both. Every text has mark.
func narrowedSet(dir, mark string) map[string]string {
	var corpus, queries, bare, judged, bareJudged strings.Builder
	judged.WriteString("query-id\tcorpus-id\tscore\n")
	bareJudged.WriteString("query-id\tcorpus-id\tscore\n")
	for topic := range 2 {
		query := fmt.Sprintf("%s topic %d", mark, topic)
		fmt.Fprintf(&bare, "{\"_id\": \"%d\", \"text\": %q}\n", topic, query)
		for k, kind := range []string{"first", "second", "both"} {
			doc := fmt.Sprintf("t%d%d", topic, k)
			fmt.Fprintf(&corpus, "{\"_id\": %q, \"title\": \"caption\", \"text\": \"%s table %d %s\"}\n", doc, mark, topic, kind)
			fmt.Fprintf(&bareJudged, "%d\t%s\t1\n", topic, doc)
			if k == 2 {
				fmt.Fprintf(&judged, "%[1]d_0\t%[2]s\t1\n%[1]d_1\t%[2]s\t1\n", topic, doc)
				continue
			}
			id, instruction := fmt.Sprintf("%d_%d", topic, k), fmt.Sprintf("%s only the %s of %d", mark, kind, topic)
			fmt.Fprintf(&queries, "{\"_id\": %q, \"text\": \"%s [SEP] %s\", \"metadata\": {\"origin_query\": %q, \"instruction\": %[2]q, \"instruction_type\": \"1.1\"}}\n", id, instruction, query, query)
			fmt.Fprintf(&judged, "%s\t%s\t1\n", id, doc)
		}
	}
	files := map[string]string{}
	for name, text := range map[string]*strings.Builder{"corpus.jsonl": &corpus, "queries.jsonl": &queries, "only_queries.jsonl": &bare,
		"qrels/test.tsv": &judged, "qrels/for_only_query_test.tsv": &bareJudged} {
		files[filepath.Join(dir, name)] = text.String()
	}
	return files
}

// writeNarrowedSets writes the sets WTR and TArX of a FollowTable.
func writeNarrowedSets(t *testing.T, dir, wtr, tarx string) {
	t.Helper()
	for set, mark := range map[string]string{"WTR": wtr, "TArX": tarx} {
		for name, text := range narrowedSet(filepath.Join(dir, set), mark) {
			writeFile(t, name, text)
		}
	}
}

// narrowedSets writes them into a new folder.
func narrowedSets(t *testing.T, wtr, tarx string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeNarrowedSets(t, dir, wtr, tarx)
	return dir
}

// Records of one set have no text of another, are the same each time, and train.
func TestDataRecords(t *testing.T) {
	dir := narrowedSets(t, "north", "south")
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	make := []string{"data", "records", dir, "--task", "WTR", "--test", dir, "--out", "made"}
	out := verbOutput(t, make...)
	wantIn(t, out, "made: 4 records from ", " WTR        2             4     4        4", "shares no run of 13 words with "+filepath.Base(dir)+"/TArX")
	text := string(mustRead(t, "made/train.jsonl"))
	if want := `{"id":"WTR:0_0:0_1","instruction_positive":"north only the first of 0","instruction_negative":"north only the second of 0",` +
		`"query_positive":"north topic 0","query_negative":"north topic 1","document_positive":"caption north table 0 first",` +
		`"hard_negative_document_1":"caption north table 0 second","hard_negative_document_2":"caption north table 1 `; !strings.HasPrefix(text, want) || strings.Count(text, "\n") != 4 {
		t.Errorf("records:\n%s\nwant 4 that begin with\n%s", text, want)
	}
	var note struct {
		Data, Rule string
		Tests      []string
		Seed       uint64
		Records    int
		Tasks      []struct {
			Task          string
			Records, Used int
		}
	}
	if err := json.Unmarshal(mustRead(t, "made/records.json"), &note); err != nil || note.Seed != 1 || note.Records != 4 || len(note.Tasks) != 1 || note.Tasks[0].Used != 4 || !strings.Contains(note.Rule, "ordered pair") {
		t.Errorf("note: %+v, %v", note, err)
	}
	verbOutput(t, make...)
	if string(mustRead(t, "made/train.jsonl")) != text {
		t.Error("the same command makes other records")
	}
	for line := range strings.Lines(verbOutput(t, "data", "overlap", "./made", filepath.Join(dir, "TArX"), "--out", "o.json")) {
		if f := strings.Fields(line); f[0] == "test" && strings.Join(f[3:6], " ") != "0 0 0" {
			t.Errorf("an overlap: %s", line)
		}
	}
	wantIn(t, verbOutput(t, "data", "stats", "./made"), "./made        4   8   8  12")
	verbOutput(t, append(make, "--shuffle-instructions", "--out", "shuffled")...)
	if got := string(mustRead(t, "shuffled/train.jsonl")); !strings.HasPrefix(got, `{"id":"WTR:0_0:0_1","instruction_positive":"north only the first of 1"`) {
		t.Errorf("shuffled:\n%s", got)
	}
}

// Texts that the test has are in no record, and are counted.
func TestDataRecordsClearOfTest(t *testing.T) {
	dir := narrowedSets(t, "north", "south")
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	test := writeFiles(t, map[string]string{
		"corpus.jsonl":   `{"_id": "d1", "text": "NORTH table 0, first!"}` + "\n",
		"queries.jsonl":  `{"_id": "q1", "text": "north topic 9"}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
	})
	out := verbOutput(t, "data", "records", filepath.Join(dir, "WTR"), "--test", test, "--out", "made")
	wantIn(t, out, "made: 2 records", "left out: documents in a test, 1", "left out: pairs of instructions where one has no document that the other lacks, 1")
	if text := string(mustRead(t, "made/train.jsonl")); strings.Contains(text, "table 0 first") {
		t.Errorf("a text of the test is in a record:\n%s", text)
	}
	out = verbOutput(t, "data", "overlap", "./made", test, "--out", "o.json")
	wantIn(t, out, "test documents  1              0            0")
}

func TestDataRecordsRefuses(t *testing.T) {
	dir := narrowedSets(t, "north", "south")
	beir := writeFiles(t, tinyBEIR)
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{usage.ExitUsage, "needs --out DIR", []string{dir}},
		{usage.ExitUsage, `unknown task "WRT"; did you mean "WTR"?`, []string{dir, "--task", "WRT", "--out", "made"}},
		{usage.ExitUsage, "none is left as a test", []string{dir, "--test", dir, "--out", "made"}},
		{usage.ExitUsage, "none is left as a test", []string{dir, "--test", dir + "/./", "--out", "made"}},
		{exitFailure, "has no instructions", []string{beir, "--out", "made"}},
		{exitFailure, "no record can be made: 80 pairs of instructions where one has no document that the other lacks", []string{"mini-followir", "--out", "made"}},
		{usage.ExitUsage, `did you mean "mini-followir"?`, []string{"mini-folowir", "--out", "made"}},
		{usage.ExitUsage, `did you mean "mini-followir"?`, []string{dir, "--test", "mini-folowir", "--out", "made"}},
	} {
		verbFails(t, c.code, c.says, append([]string{"data", "records"}, c.args...)...)
	}
	if _, err := os.Stat("made"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused command leaves a folder: %v", err)
	}
}

// Records of a private collection are private, with their copies: no command shows a text.
func TestPrivateRecords(t *testing.T) {
	dir := narrowedSets(t, minihub.Canary, "south")
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	said := verbOutput(t, "data", "import", filepath.Join(dir, "WTR"), "--name", "own", "--private")
	said += verbOutput(t, "data", "records", "own", "--test", filepath.Join(dir, "TArX"), "--out", "made")
	wantIn(t, said, "the records are private")
	if note := string(mustRead(t, "made/records.json")); strings.Contains(said+note, minihub.Canary) {
		t.Errorf("a text is shown:\n%s%s", said, note)
	}
	text := mustRead(t, "made/train.jsonl")
	if !strings.Contains(string(text), minihub.Canary) {
		t.Fatal("the records have no text of the collection")
	}
	if _, err := os.Stat(filepath.Join("made", hub.PrivateFile)); err != nil {
		t.Error(err)
	}
	writeFile(t, "elsewhere/copy.jsonl", string(text))
	verbFails(t, usage.ExitUsage, "elsewhere would be marked as private, but it has copy.jsonl", "data", "records", "own", "--out", "elsewhere")
	for _, name := range []string{"./made", "./made/train.jsonl", "elsewhere/copy.jsonl"} {
		verbFails(t, exitFailure, "are private", "data", "mine", "--data", name, "--model", "bm25", "--out", "mined.jsonl")
		verbFails(t, exitFailure, "are private", "data", "map", name, "--method", "pca", "--model", "nosuch", "--out", "map")
		verbOutput(t, "data", "stats", name)
	}
	verbOutput(t, "data", "records", filepath.Join(dir, "TArX"), "--out", "public")
	if _, err := os.Stat(filepath.Join("public", hub.PrivateFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("records of public data are marked: %v", err)
	}
}
