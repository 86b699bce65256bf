package annotate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/curate"
)

// world is a corpus of questions as judges leave it. The text of a candidate shows its role
// only to a rater who knows the map right.
type world struct {
	file  string
	right map[string]string // text of the right passage by instruction and query
}

// candidates is the number of candidates of a question.
const candidates = 5

// types are the types of poison, used in turn.
var types = []string{"negation", "exclusion", "time"}

// newWorld writes the questions of n records, each with all scenarios, into a corpus folder.
// Judges err at the given rates, and then pick any other passage.
func newWorld(t *testing.T, n int, seed uint64, judges map[string]float64) *world {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &world{file: filepath.Join(t.TempDir(), curate.JudgedFile), right: map[string]string{}}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for i := range n {
		for _, scenario := range []curate.Scenario{curate.Original, curate.PoisonedInstruction, curate.PoisonedQuery} {
			q := w.question(i, scenario, rng)
			for _, judge := range slices.Sorted(maps.Keys(judges)) {
				q.Picks = append(q.Picks, curate.Pick{Judge: judge, Candidate: erring(rng, q.Answer(), candidates, judges[judge])})
			}
			if err := out.Encode(struct {
				curate.Question
				Type  string `json:"type"`
				Later string `json:"a_field_of_a_later_version"`
			}{q, types[i%len(types)], "x"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(t, w.file, lines.String())
	return w
}

// question is a question about record i. Its passages differ by a number that does not show
// their role.
func (w *world) question(i int, scenario curate.Scenario, rng *rand.Rand) curate.Question {
	q := curate.Question{ID: fmt.Sprintf("rec-%04d/%s", i, scenario), Record: fmt.Sprintf("rec-%04d", i), Scenario: scenario,
		Instruction: fmt.Sprintf("Find what was said of harbour %d by day.", i), Query: fmt.Sprintf("tides of harbour %d", i)}
	switch scenario {
	case curate.PoisonedInstruction:
		q.Instruction = fmt.Sprintf("Find what was said of harbour %d by night.", i)
	case curate.PoisonedQuery:
		q.Query = fmt.Sprintf("cranes of harbour %d", i)
	}
	roles := []curate.Role{curate.Positive, curate.HardNegative1, curate.HardNegative2, curate.Distractor, curate.Distractor}
	rng.Shuffle(len(roles), func(a, b int) { roles[a], roles[b] = roles[b], roles[a] })
	for _, role := range roles {
		text := fmt.Sprintf("Passage %d on tides and harbours.", rng.Uint64())
		q.Candidates = append(q.Candidates, curate.Candidate{Role: role, Text: text})
		if role == scenario.Right() {
			w.right[q.Instruction+"\n"+q.Query] = text
		}
	}
	return q
}

// erring returns right, or with the probability rate any other of n.
func erring(rng *rand.Rand, right, n int, rate float64) int {
	if rng.Float64() >= rate {
		return right
	}
	return (right + 1 + rng.IntN(n-1)) % n
}

// fill fills in a sheet as an annotator with an error rate, and returns the file.
func (w *world) fill(t *testing.T, dir, annotator string, rate float64, rng *rand.Rand) string {
	t.Helper()
	rows := readCSV(t, filepath.Join(dir, "sheet-"+annotator+".csv"))
	for _, row := range rows[1:] {
		right := slices.Index(row[6:], w.right[row[4]+"\n"+row[5]])
		if right < 0 {
			t.Fatalf("no right passage in %q", row)
		}
		row[3] = fmt.Sprint(erring(rng, right, candidates, rate) + 1)
	}
	return writeCSV(t, filepath.Join(dir, "picks-"+annotator+".csv"), rows)
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func writeCSV(t *testing.T, path string, rows [][]string) string {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return write(t, path, b.String())
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// verb runs the verb and returns what it printed.
func verb(t *testing.T, args ...string) string {
	t.Helper()
	out, err := tried(args...)
	if err != nil {
		t.Fatalf("annotate %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func tried(args ...string) (string, error) {
	cmd := Command()
	var out bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.Execute()
	return out.String(), err
}

// fails runs the verb, which must fail with the wanted message.
func fails(t *testing.T, want string, args ...string) {
	t.Helper()
	if _, err := tried(args...); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("annotate %s: %v, want %q", strings.Join(args, " "), err, want)
	}
}
