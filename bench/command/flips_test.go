package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"infbench/internal/testkit"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
)

func line(text string) []string { return strings.Fields(text) }

// flipFixture makes, in the working folder, one output of each kind: a sweep with a trained,
// a failed and a stopped trial, the log of an active sweep, an evaluation, a probe, an
// import, a curated corpus, vectors, a cache of them, studies, a lock file.
func flipFixture(t *testing.T) (trialDir string) {
	t.Helper()
	golden, err := filepath.Abs(filepath.Join("testdata", "small", "small-bert"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("HF_HUB_CACHE", "hub")
	if err := os.CopyFS("small-bert", os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	for name, text := range flipFiles() {
		writeFile(t, name, text)
	}
	verbOutput(t, "sweep", "flip.yaml")
	folder := runs.At("runs/flip")
	plan, err := folder.Plan()
	if err != nil {
		t.Fatal(err)
	}
	id := plan.Trials[0].ID
	at := folder.Trial(id)
	for _, args := range []string{
		"evaluate --model bm25 --data own --out runs/eval",
		"evaluate --model TRIAL/model --data own --out runs/of-model --cache vectors",
		"import runs/eval/runs/own.test.trec.gz --data own --model x/y --out runs/imported",
		"probe TRIAL/model own --out runs/probed",
		"train flip.yaml --out trained",
		"curate curate.yaml --out corpus --keep small",
		"encode texts.jsonl --field text --model TRIAL/model --out vectors.npy",
		"data diversity texts.jsonl --field text --embeddings vectors.npy --keep small",
		"data map vectors.npy --sample 0 --neighbours 3 --out out --keep small",
		"data annotate read corpus --keep small",
		"data stats ./corpus --keep small",
		"data overlap train.jsonl own",
		"data import own --name mine",
		"submit new runs/eval --system a/b --revision v1",
	} {
		verbOutput(t, line(strings.ReplaceAll(args, "TRIAL", at.Dir))...)
	}
	for _, name := range []string{"runs/failed", "runs/stopped"} {
		writeFile(t, filepath.Join(name, runs.PlanFile), string(mustRead(t, folder.PlanPath())))
	}
	failed, stopped := runs.At("runs/failed").Trial(id), runs.At("runs/stopped").Trial(id)
	if err := cmp.Or(failed.Failures().Add(results.Transient, errFull), failed.Failures().Add(results.Fault, errFull),
		stopped.Halt().Set(results.Halt{Step: 3, Steps: 9, Rival: id, Rivals: 1, Queries: 7, Difference: -0.5, Upper: -0.25, Gain: 0.125, Alpha: 0.05})); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join("runs/active", runs.PlanFile), string(mustRead(t, folder.PlanPath())))
	chosen := runs.At("runs/active")
	log, err := chosen.Rounds().Begin(results.ActiveSettings{Claims: "claims.yaml", Text: flipFiles()["claims.yaml"], Alpha: 0.05, Budget: 9, Round: 2, Start: 8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []results.ActiveRound{
		{Round: 1, Cells: []results.ActiveCell{{ID: id, Why: "drawn for the start"}}},
		{Round: 2, Done: 1, Left: []string{"other: not planned"}, Stop: "no cell is left", Standings: []results.ActiveStanding{{Claim: "better", On: "own nDCG@10", Side: "above", Value: .25, StandardError: .0625, Freedom: 9, Share: 1, Looks: 1, Chance: 1}}},
	} {
		if err := chosen.Rounds().Add(log, r); err != nil {
			t.Fatal(err)
		}
	}
	leftOver(t, folder, id)
	return at.Dir
}

// leftOver leaves the files of a killed process in a trial that has finished since.
func leftOver(t *testing.T, folder runs.Folder, id string) {
	t.Helper()
	lease, err := folder.Leases().Take(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	held, err := filepath.Glob("runs/flip/leases/*/*")
	if err != nil || len(held) == 0 {
		held, err = filepath.Glob("runs/flip/leases/*")
	}
	if err != nil || len(held) == 0 {
		t.Fatal("no lease", err)
	}
	content := map[string][]byte{"runs/flip/progress/" + id + ".jsonl": []byte("{\"phase\":\"train\",\"done\":1,\"total\":2,\"loss\":0.5}\n")}
	for _, path := range held {
		content[path] = deadLease(t, mustRead(t, path))
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	for path, data := range content {
		writeFile(t, path, string(data))
	}
}

// flipFiles are the inputs of the fixture.
func flipFiles() map[string]string {
	var records, texts strings.Builder
	adjectives := line("red blue green black white small large old new wild tame slow quick loud")
	for i := range 12 {
		a, b, c := adjectives[i], adjectives[i+1], adjectives[i+2]
		fmt.Fprintf(&texts, `{"text":"a %s fox and a %s whale"}`+"\n", a, c)
		fmt.Fprintf(&records, `{"id":"%d","instruction_positive":"only the %s one","instruction_negative":"only the %s one","query_positive":"fox number %[1]d","query_negative":"whale number %[1]d","document_positive":"a %[2]s fox %[1]d","hard_negative_document_1":"a %[3]s whale %[1]d","hard_negative_document_2":"a %[4]s fish %[1]d"}`+"\n", i, a, b, c)
	}
	experiment := func(name, data string) string {
		return fmt.Sprintf(`name: %s
base:
  data: ./%s
  backbone: ./small-bert
  loss: uni(P)
  train: {epochs: 1, rows_per_group: 6, lr: 0.01, evaluate_every: 1}
  validate: {data: held-out, measure: nDCG@10, queries: 2, share: 0.25}
evaluate: [own]
`, name, data)
	}
	return map[string]string{
		"train.jsonl": records.String(), "texts.jsonl": texts.String(), "flip.yaml": experiment("flip", "train.jsonl"), "judged.yaml": strings.NewReplacer(", evaluate_every: 1", "", "  validate: {data: held-out, measure: nDCG@10, queries: 2, share: 0.25}\n", "").Replace(experiment("judged", "corpus\n  judge: judge")),
		"curate.yaml":        "name: small\nseeds: [{from: mini-infir, records: 12}]\nauthor: {offline: true, errors: 0.3}\njudges: [{name: judge, offline: true, errors: 0.1}, {name: other, offline: true}]\nkeep: judge\n",
		"own/corpus.jsonl":   `{"_id":"d1","title":"","text":"a red fox"}` + "\n" + `{"_id":"d2","title":"","text":"a blue whale"}` + "\n" + `{"_id":"d3","title":"","text":"a small whale"}` + "\n",
		"own/queries.jsonl":  `{"_id":"q1","text":"whale","instruction":"not the small one"}` + "\n" + `{"_id":"q2","text":"fox","instruction":"a red one"}` + "\n",
		"own/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td1\t1\n", "own.qrels": "q1 0 d2 1\nq2 0 d1 1\n",
		"gate.yaml": "rules:\n  - measure: nDCG@10\n    minimum: 10\n    new: pass\n",
		"claims.yaml": `paper: {title: "a", url: "https://example.org"}
sweep: flip.yaml
claims:
  - {id: better, says: it is better, where: here, test: better, measure: nDCG@10, on: own, system: {kind: trained}, against: {model: bm25}}
`,
	}
}

// isInput reports whether a person writes the file: whatever such a file contains was meant.
func isInput(path string) bool {
	_, written := flipFiles()[path]
	return written || strings.HasPrefix(path, "small-bert/") || filepath.Base(path) == "submission.yaml"
}

// said is a verb's output, the files it writes, and its end.
type said struct {
	code          int
	numbers, text string
}

// read runs a reader; a panic fails the test.
func (r flipReader) read(trialDir string) (s said) {
	os.RemoveAll("out")
	var stdout, stderr bytes.Buffer
	if r.load != nil {
		if err := r.load(&stdout, trialDir); err != nil {
			s.code = exitFailure
			fmt.Fprintln(&stderr, err)
		}
	} else {
		var args []string
		for _, arg := range r.args {
			args = append(args, strings.NewReplacer("TRIAL", trialDir, "ID", filepath.Base(trialDir)).Replace(arg))
		}
		s.code = run(args, &stdout, &stderr)
	}
	s.numbers, s.text = moment.ReplaceAllString(stdout.String(), "")+writtenOut(), stdout.String()+stderr.String()
	return s
}

// moment matches a date and time.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

// circumstantial are files that record when and where something was made.
var circumstantial = []string{results.ProvenanceFile, results.DoneFile, results.SpeedFile}

// writtenOut hashes the files that a verb wrote.
func writtenOut() string {
	var sums strings.Builder
	filepath.WalkDir("out", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !slices.Contains(circumstantial, entry.Name()) {
			data, _ := os.ReadFile(path)
			fmt.Fprintf(&sums, "%s %x\n", path, sha256.Sum256(data))
		}
		return nil
	})
	return sums.String()
}

// flipOf is the change tried on a byte: one bit, which for every second letter is its case,
// since JSON's keys match in either case.
func flipOf(b byte, i int) byte {
	if lower := b | 0x20; i%2 == 0 && lower >= 'a' && lower <= 'z' {
		return b ^ 0x20
	}
	return b ^ 1<<(i%8)
}

// smallFile is the size up to which every byte of a file is flipped.
const smallFile = 8 << 10

// For any flipped byte in any small file of a run, each verb that reads the file refuses it
// by its name or prints the same as before. With INFBENCH_FLIPS=every, as in make flips,
// every byte is flipped; else some. If several verbs read a file with one loader, all bytes
// are flipped for the first and some for the others.
func TestEveryFlippedByteIsRefusedOrTheSame(t *testing.T) {
	testkit.Deep(t)
	some, all, part, parts := 2, 2, 0, 1
	switch asked := os.Getenv("INFBENCH_FLIPS"); {
	case asked == "every":
		flipInParts(t, 2*runtime.NumCPU()) // some wait for the heartbeat of a lease
		return
	case asked != "":
		if _, err := fmt.Sscanf(asked, "%d of %d", &part, &parts); err != nil {
			t.Fatal(err)
		}
		some, all = 24, smallFile
	}
	trialDir := flipFixture(t)
	before, began, units := sumsOfTree(t), time.Now(), 0
	read := map[string]map[string]bool{} // file -> loaders
	flipped, refused, seconds := map[string]int{}, map[string]int{}, map[string]float64{}
	for _, r := range flipReaders {
		start := time.Now()
		want := r.read(trialDir)
		if again := r.read(trialDir); want.code != exitOK && want.code != exitGate || again.code != want.code || again.numbers != want.numbers {
			t.Errorf("%s %s: exit %d, %s\nthen %s", r.verb, r.args, want.code, want.text, again.text)
			continue
		}
		opens := opened(t, ".", func() { r.read(trialDir) })
		for _, path := range slices.Sorted(maps.Keys(before)) {
			if !opens[path] || isInput(path) || len(before[path]) > smallFile {
				continue
			}
			most := some // for a file that its loader has read
			loader := cmp.Or(r.loader, r.verb)
			if !read[path][loader] {
				most = all
			}
			if read[path] == nil {
				read[path] = map[string]bool{}
			}
			read[path][loader] = true
			if units++; units%parts != part {
				continue
			}
			n, caught := r.flip(t, trialDir, path, want, most)
			flipped[r.verb], refused[r.verb] = flipped[r.verb]+n, refused[r.verb]+caught
		}
		seconds[r.verb] += time.Since(start).Seconds()
	}
	for path, data := range sumsOfTree(t) {
		if !bytes.Equal(before[path], data) {
			t.Errorf("%s has changed: a verb wrote it", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if read[path] == nil && len(before[path]) > 0 && len(before[path]) <= smallFile && !isInput(path) {
			t.Logf("%s: no verb reads it", path)
		}
	}
	total, caught := 0, 0
	for _, verb := range slices.Sorted(maps.Keys(flipped)) {
		t.Logf("%-15s %7d flips, %7d refused, %5d without effect, %5.1f s", verb, flipped[verb], refused[verb], flipped[verb]-refused[verb], seconds[verb])
		total, caught = total+flipped[verb], caught+refused[verb]
	}
	t.Logf("%d files, %d flips in %.0f s: %d refused, %d without effect", len(read), total, time.Since(began).Seconds(), caught, total-caught)
}

// flipInParts lets concurrent processes each try a part of all flips.
func flipInParts(t *testing.T, parts int) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said, failed := make([][]byte, parts), make([]error, parts)
	var all sync.WaitGroup
	for part := range parts {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), program, "-test.run", "^"+t.Name()+"$", "-test.v")
			cmd.Env = append(os.Environ(), fmt.Sprintf("INFBENCH_FLIPS=%d of %d", part, parts), asCommand+"=")
			said[part], failed[part] = cmd.CombinedOutput()
		})
	}
	all.Wait()
	for part := range parts {
		t.Logf("part %d of %d:\n%s", part+1, parts, said[part])
		if failed[part] != nil {
			t.Error(failed[part])
		}
	}
}

// flip tries flips of a file on a reader, one at a time.
func (r flipReader) flip(t *testing.T, trialDir, path string, want said, most int) (flips, refused int) {
	t.Helper()
	whole := mustRead(t, path)
	put := func(data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { put(whole) }()
	for i := 0; i < len(whole); i += max(1, len(whole)/most) {
		changed := bytes.Clone(whole)
		changed[i] = flipOf(whole[i], i)
		put(changed)
		flips++
		got := r.read(trialDir)
		named := strings.Contains(got.text, filepath.Base(path))
		switch {
		case got.code == want.code && got.numbers == want.numbers:
		case named && (got.code != exitOK || !strings.Contains(want.text, path)):
			refused++
		default:
			t.Errorf("%s %s: byte %d of %s from %q to %q: exit %d\n%.600s", r.verb, r.args, i, path, whole[i], changed[i], got.code, got.text)
			return flips, refused
		}
	}
	return flips, refused
}

// deadLease changes our lease into one of a dead process that had our ID before: for a living
// process a reader would have to look again for seconds each time.
func deadLease(t *testing.T, lease []byte) []byte {
	t.Helper()
	first, rest, _ := bytes.Cut(lease, []byte("\n"))
	var owner engine.Owner
	if err := json.Unmarshal(first, &owner); err != nil {
		t.Fatal(err)
	}
	owner.Start = "0"
	owned, err := json.Marshal(owner)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(owned, []byte("\n"), rest)
}

// sumsOfTree returns the files below the working folder except the output of verbs.
func sumsOfTree(t *testing.T) map[string][]byte {
	t.Helper()
	tree := map[string][]byte{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path == "out" {
			return fs.SkipDir
		}
		if err == nil && entry.Type().IsRegular() {
			tree[path] = mustRead(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Every verb is tested with flipped bytes, or there is a reason why not.
func TestEveryVerbIsHeldToFlippedBytes(t *testing.T) {
	held := map[string]bool{}
	for _, r := range flipReaders {
		held[r.verb] = true
	}
	known := map[string]bool{}
	var visit func(cmd *cobra.Command, name string)
	visit = func(cmd *cobra.Command, name string) {
		for _, sub := range cmd.Commands() {
			visit(sub, strings.TrimSpace(name+" "+sub.Name()))
		}
		if cmd.HasSubCommands() && !held[name] {
			return
		}
		known[name] = true
		parent, _, _ := strings.Cut(name, " ")
		if held[name] == (unflipped[name]+unflipped[parent] != "") {
			t.Errorf("infbench %s: want its readers among flipReaders, or why there are none in unflipped", name)
		}
	}
	visit(newRoot(), "")
	for verb := range maps.Keys(held) {
		if !known[verb] {
			t.Errorf("there is no verb %s", verb)
		}
	}
}
