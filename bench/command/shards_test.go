package command

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// evaluationFiles returns the files of an evaluation, except provenance and the marker that
// hashes it.
func evaluationFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = string(mustRead(t, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{results.ProvenanceFile, results.DoneFile} {
		if files[name] == "" {
			t.Errorf("%s has no %s", dir, name)
		}
		delete(files, name)
	}
	return files
}

// sameFiles compares an evaluation with another, file by file.
func sameFiles(t *testing.T, what, dir string, want map[string]string) {
	t.Helper()
	got := evaluationFiles(t, dir)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s has other bytes", what, name)
		}
	}
	if len(got) != len(want) || len(want) < 3 {
		t.Errorf("%s: files %q, want %q", what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// For any number of shards and any ranker, an evaluation leaves the bytes of one process,
// prints the same, and names its shards.
func TestShardsGiveTheSameBytes(t *testing.T) {
	network, small := writeEncoder(t, ""), smallBackbone(t)
	t.Chdir(t.TempDir())
	for name, args := range map[string]string{
		"bm25":           "--model bm25 --data mini-bright",
		"okapi":          "--model bm25-okapi-candidates --data mini-followir",
		"mair":           "--model bm25-mair --data mini-mair",
		"random":         "--model random --data mini-followir --task headline",
		"constant":       "--model constant --data mini-bright",
		"document-order": "--model document-order --data mini-bright",
		"dense":          "--model " + network + " --data mini-bright",
		"dense, cached":  "--model " + network + " --data mini-bright --cache vectors --dense-blocks int8",
		"bf16":           "--model " + small + " --data mini-bright --task nature --precision bf16",
		"fused":          "--model " + network + " --fuse bm25 --data mini-bright",
	} {
		t.Run(name, func(t *testing.T) {
			one := filepath.Join(name, "one")
			evaluate := func(out string, more ...string) string {
				said := verbOutput(t, slices.Concat([]string{"evaluate", "--out", out}, strings.Fields(args), more)...)
				return regexp.MustCompile(`embedding cache .*\n`).ReplaceAllString(strings.ReplaceAll(said, out, "OUT"), "")
			}
			said := evaluate(one)
			want := evaluationFiles(t, one)
			for _, n := range []int{1, 3, 7} {
				if n != 3 && !testkit.IsDeep() {
					continue
				}
				out := filepath.Join(name, fmt.Sprint(n))
				if again := evaluate(out, "--shards", fmt.Sprint(n)); again != said {
					t.Errorf("%d shards print\n%s\none process\n%s", n, again, said)
				}
				sameFiles(t, fmt.Sprintf("%d shards", n), out, want)
				shards := trialOf(t, out, "").Provenance.Shards
				for i, s := range shards {
					if s.Number != i+1 || s.Of != n || s.Backend == "" || s.Started.IsZero() {
						t.Errorf("provenance has shard %+v in place %d of %d", s, i+1, n)
					}
				}
				if len(shards) != n {
					t.Errorf("provenance names %d shards of %d", len(shards), n)
				}
			}
			verbOutput(t, "verify", one, filepath.Join(name, "3"))
		})
	}
}

// A model that reads query and document together reranks the results of the shards, once
// joined.
func TestShardsBeforeReranking(t *testing.T) {
	pairs := goldenModel(t, "cross_bert_2labels", nil)
	t.Chdir(t.TempDir())
	line := []string{"evaluate", "--model", pairs, "--first", "bm25", "--depth", "3", "--data", "mini-bright", "--out"}
	verbOutput(t, append(line, "one")...)
	verbOutput(t, append(line, "seven", "--shards", "7")...)
	sameFiles(t, "reranked", "seven", evaluationFiles(t, "one"))
	verbFails(t, usage.ExitUsage, "there is no search of a corpus to divide", "evaluate", "--model", pairs, "--data", "mini-followir", "--shards", "7")
}

// Token-level models find the same in shards.
func TestShardsOfTokens(t *testing.T) {
	check := func(t *testing.T, dir, data string, _ tokenGolden) {
		one, seven := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "seven")
		verbOutput(t, "evaluate", "--model", dir, "--data", data, "--out", one)
		verbOutput(t, "evaluate", "--model", dir, "--data", data, "--out", seven, "--shards", "3")
		sameFiles(t, dir, seven, evaluationFiles(t, one))
	}
	t.Run("late", func(t *testing.T) { eachTokenGolden(t, "late_interaction", check) })
	t.Run("sparse", func(t *testing.T) { eachTokenGolden(t, "retrieval", check) })
}

// shardSays returns the output of ranking one shard.
func shardSays(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != exitOK {
		t.Fatalf("infbench %q: exit %d, %s", args, code, stderr.String())
	}
	return stdout.String() + stderr.String()
}

// The tasks of an array rank one shard each, in any order; missing shards are named, and the
// last task joins all. A late task finds everything done.
func TestShardByShard(t *testing.T) {
	t.Chdir(t.TempDir())
	line := []string{"evaluate", "--model", "bm25-bright", "--data", "mini-bright"}
	verbOutput(t, append(line, "--out", "one")...)
	one := evaluationFiles(t, "one")
	shard := func(n string) string {
		return shardSays(t, append(line, "--shards", "3", "--shard", n, "--out", "out")...)
	}
	if said := shard("3"); !strings.Contains(said, "shard 3 of 3 is ranked; missing still: 1, 2") {
		t.Errorf("the first says %q", said)
	}
	for _, verb := range []string{"verify", "report"} {
		verbFails(t, exitFailure, "it has shards of an evaluation that are not joined (.shards-of-3)", verb, "out")
	}
	if said := shard("3"); strings.Contains(said, "ranking shard") || !strings.Contains(said, "missing still: 1, 2") {
		t.Errorf("a shard that is there: %q", said)
	}
	if said := shard("1"); !strings.Contains(said, "missing still: 2") {
		t.Errorf("the second says %q", said)
	}
	if said := shard("2"); !strings.Contains(said, "nDCG@10") {
		t.Errorf("the last says %q", said)
	}
	sameFiles(t, "joined by the last", "out", one)
	done := mustRead(t, filepath.Join("out", results.DoneFile))
	for _, late := range []string{shard("2"), shardSays(t, append(line, "--shards", "3", "--out", "out")...)} {
		if strings.Contains(late, "ranking shard") || !strings.Contains(late, "nDCG@10") {
			t.Errorf("a late task prints %q", late)
		}
	}
	if !bytes.Equal(done, mustRead(t, filepath.Join("out", results.DoneFile))) {
		t.Error("a late task measured again")
	}
	sameFiles(t, "late", "out", one)
	// Another measure is missing: its shards are ranked again, and both measures are there.
	if said := shardSays(t, append(line, "--shards", "3", "--out", "out", "--measure", "RR")...); !strings.Contains(said, "RR") || !strings.Contains(said, "nDCG@10") {
		t.Errorf("with another measure: %q", said)
	}
}

// Processes that share a folder share its shards; any of them may join the results.
func TestShardsAtTheSameTime(t *testing.T) {
	t.Chdir(t.TempDir())
	line := []string{"evaluate", "--model", "random", "--data", "mini-bright"}
	verbOutput(t, append(line, "--out", "one")...)
	var all sync.WaitGroup
	said := make([]string, 3)
	for i := range said {
		all.Go(func() {
			cmd := infbench(t, append(line, "--shards", "5", "--out", "out")...)
			out, err := cmd.CombinedOutput()
			if said[i] = string(out); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	sameFiles(t, strings.Join(said, "\n"), "out", evaluationFiles(t, "one"))
	for n := 1; n <= 5; n++ {
		if times := strings.Count(strings.Join(said, "\n"), fmt.Sprintf("ranking shard %d of 5", n)); times != 1 {
			t.Errorf("shard %d was ranked %d times:\n%s", n, times, strings.Join(said, "\n"))
		}
	}
}

// A process killed in the middle of a shard leaves no usable part of it; the same command
// ranks that shard and the missing ones, to the same bytes.
func TestShardKilled(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", "sk-test")
	endpoint, url := newFakeEndpoint(t, 0)
	data := manyDocuments(t, 3*2*32)
	t.Chdir(t.TempDir())
	line := func(more ...string) []string {
		return append([]string{"evaluate", "--model", "remote", "--url", url, "--remote-model", "m", "--dim", "4", "--key-env", "INFBENCH_TEST_KEY", "--data", data}, more...)
	}
	verbOutput(t, line("--out", "one")...)
	answer := func(requests int) {
		endpoint.mu.Lock()
		defer endpoint.mu.Unlock()
		endpoint.limit = requests
	}
	answer(6) // one request of queries and two of documents make a shard
	killed := infbench(t, line("--shards", "3", "--out", "out")...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-endpoint.hanging:
	case <-time.After(5 * time.Minute):
		t.Error("it never hung")
	}
	killed.Process.Kill()
	killed.Wait()
	left, err := filepath.Glob("out/.shards-of-3/*/" + results.DoneFile)
	if err != nil || !slices.Equal(left, []string{"out/.shards-of-3/1/" + results.DoneFile}) {
		t.Fatalf("it was killed with %q, want the first shard alone", left)
	}
	before := mustRead(t, left[0])
	answer(0)
	said := shardSays(t, line("--shards", "3", "--shard", "3", "--out", "out")...)
	if strings.Contains(said, "ranking shard 1") || !bytes.Equal(before, mustRead(t, left[0])) {
		t.Errorf("a complete shard was ranked again: %s", said)
	}
	verbOutput(t, line("--shards", "3", "--out", "out")...)
	sameFiles(t, "after the kill", "out", evaluationFiles(t, "one"))
}

// A user's file next to shards has no effect, and stays.
func TestNoteBesideShards(t *testing.T) {
	data := writeFiles(t, tinyBEIR)
	t.Chdir(t.TempDir())
	line := []string{"evaluate", "--model", "bm25", "--data", data, "--shards", "2", "--out", "out"}
	shardSays(t, append(line, "--shard", "1")...)
	writeFile(t, "out/note.txt", "mine")
	shardSays(t, append(line, "--shard", "2")...)
	verbOutput(t, line...)
	if note := fileText(t, "out/note.txt"); note != "mine" || results.At("out").Marker().Verify() != nil {
		t.Errorf("note %q, %v", note, results.At("out").Marker().Verify())
	}
}

// A shard with other inputs is refused by name before anything is ranked; a shard damaged at
// any place is ranked again.
func TestShardsOfOthers(t *testing.T) {
	data := writeFiles(t, tinyBEIR)
	other := writeFiles(t, without(map[string]string{"corpus.jsonl": `{"_id":"d1","title":"","text":"a red whale"}` + "\n" + `{"_id":"d2","title":"","text":"a blue whale"}` + "\n"}))
	t.Chdir(t.TempDir())
	line := func(model, data string, more ...string) []string {
		return append([]string{"evaluate", "--model", model, "--data", data, "--shards", "2", "--out", "out"}, more...)
	}
	shardSays(t, line("bm25", data, "--shard", "2")...)
	verbFails(t, usage.ExitUsage, `shard 2 of 2 in out/.shards-of-2/2 is of another evaluation: model "bm25", now "random"`, line("random", data, "--shard", "1")...)
	verbFails(t, usage.ExitUsage, "shard 2 of 2", line("bm25", called(t, filepath.Base(data), other))...)
	if err := os.CopyFS("out/.shards-of-2/1", os.DirFS("out/.shards-of-2/2")); err != nil {
		t.Fatal(err)
	}
	verbFails(t, usage.ExitUsage, "shard 1 of 2 in out/.shards-of-2/1 is of another evaluation: another shard", line("bm25", data)...)
	if err := os.RemoveAll("out/.shards-of-2/1"); err != nil {
		t.Fatal(err)
	}

	verbOutput(t, "evaluate", "--model", "bm25", "--data", data, "--out", "one")
	files, err := filepath.Glob("out/.shards-of-2/2/*")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	rankings, err := filepath.Glob("out/.shards-of-2/2/runs/*")
	if err != nil || len(rankings) != 1 {
		t.Fatal(rankings, err)
	}
	for _, file := range append(files, rankings...) {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		text := mustRead(t, file)
		if len(text) == 0 {
			continue
		}
		text[len(text)/2] ^= 1
		rewrite(t, file, text)
		if said := shardSays(t, line("bm25", data, "--shard", "2")...); !strings.Contains(said, "ranking shard 2 of 2") {
			t.Errorf("damage to %s goes unseen: %s", file, said)
		}
	}
	verbOutput(t, line("bm25", data)...)
	sameFiles(t, "after damage", "out", evaluationFiles(t, "one"))
	verbFails(t, usage.ExitUsage, `output folder out contains another evaluation: model "bm25", now "random"`, line("random", data)...)
}

// There may be more shards than documents, and empty shards are not missed.
func TestMoreShardsThanDocuments(t *testing.T) {
	data := writeFiles(t, tinyBEIR)
	t.Chdir(t.TempDir())
	for _, model := range []string{"bm25", "bm25-okapi-candidates", "random", writeEncoder(t, "")} {
		for _, n := range []string{"0", "2", "9"} {
			verbOutput(t, "evaluate", "--model", model, "--data", data, "--shards", n, "--out", n)
		}
		sameFiles(t, model, "2", evaluationFiles(t, "0"))
		sameFiles(t, model, "9", evaluationFiles(t, "0"))
		for _, n := range []string{"0", "2", "9"} {
			if err := os.RemoveAll(n); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Inputs that cannot be divided are refused before anything is ranked.
func TestShardsRefused(t *testing.T) {
	data := writeFiles(t, tinyBEIR)
	t.Chdir(t.TempDir())
	line := []string{"evaluate", "--model", "bm25", "--data", data}
	verbFails(t, usage.ExitUsage, "--shard 2: give the number of shards", append(line, "--shard", "2")...)
	verbFails(t, usage.ExitUsage, "--shard 4: want 1 to 3", append(line, "--shards", "3", "--shard", "4")...)
	verbFails(t, usage.ExitUsage, "--shards -1: want 1 to", append(line, "--shards", "-1")...)
	verbOutput(t, append(line, "--out", "one")...)
	saved, err := filepath.Glob("one/runs/*")
	if err != nil || len(saved) != 1 {
		t.Fatal(saved, err)
	}
	verbFails(t, usage.ExitUsage, "there is no search of a corpus to divide", "evaluate", "--model", saved[0], "--data", data, "--shards", "3", "--out", "out")
	if _, err := os.Stat("out"); err == nil {
		t.Error("a folder was left")
	}
}

// A sweep ranks shards in their own jobs, before the trials that join them. It gives the
// bytes of a sweep without shards, including trained trials and rerankers, and has nothing to
// do the second time. A missing or damaged shard is ranked by its trial.
func TestSweepInShards(t *testing.T) {
	testkit.Deep(t)
	network, small := writeEncoder(t, ""), smallBackbone(t)
	t.Chdir(t.TempDir())
	file := inFile(t, "x.yaml", fmt.Sprintf(`name: x
base: {backbone: %s, train: {epochs: 1, rows_per_group: 240}}
baselines: [bm25, random, untrained, %s]
evaluate: [mini-bright, mini-followir]
`, small, network))
	verbOutput(t, "sweep", file, "--runs", "one")
	said := shardSays(t, "sweep", file, "--runs", "three", "--shards", "3")
	if n := len(regexp.MustCompile(`shard \d of 3  \d`).FindAllString(said, -1)); n != 4*3 {
		t.Errorf("%d shards had jobs, want three of four trials:\n%s", n, said)
	}
	want, got := resultSums(t, "one/x"), resultSums(t, "three/x")
	if !maps.Equal(want, got) || len(want) < 5*6 {
		t.Errorf("%d files, not those of a sweep without shards:\n%v\n%v", len(want), got, want)
	}
	plan, err := runs.At("three/x").Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range plan.Trials {
		p, err := runs.At("three/x").Trial(trial.ID).Reader().Provenance()
		if err != nil || len(p.Shards) != 3 {
			t.Errorf("%s: %d shards in its provenance, %v", trial.Label, len(p.Shards), err)
		}
	}
	if left, err := filepath.Glob("three/x/trials/*/.shards*"); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
	if said := shardSays(t, "sweep", file, "--runs", "three", "--shards", "3"); !strings.Contains(said, "all 5 trials are done") {
		t.Errorf("again: %s", said)
	}
	verbOutput(t, "verify", "three/x")

	bm25 := slices.IndexFunc(plan.Trials, func(t spec.Trial) bool { return t.Cell.Model == "bm25" })
	id := plan.Trials[bm25].ID
	if err := os.RemoveAll(filepath.Join("three/x/trials", id)); err != nil {
		t.Fatal(err)
	}
	verbOutput(t, "trial", "three/x", runs.ShardJob(id, datasets.Shard{Number: 2, Of: 3}))
	ranked := "three/x/trials/" + id + "/.shards-of-3/2/" + results.ScoresFile
	rewrite(t, ranked, []byte("{}\n"))
	said = shardSays(t, "trial", "three/x", id, "--shards", "3")
	if strings.Count(said, "ranking shard") != 3 {
		t.Errorf("the trial says %s", said)
	}
	if !maps.Equal(want, resultSums(t, "three/x")) {
		t.Error("a trial that ranks its shards itself has other bytes")
	}
}

// resultSums hashes the results of the trials in a run folder: weights, rankings, values and
// questions asked, by name.
func resultSums(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	root := filepath.Join(dir, runs.TrialsDir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		parts := strings.Split(name, string(filepath.Separator))
		if !slices.Contains([]string{results.ModelDir, results.RunsDir, results.ScoresFile, results.SettingsFile, results.CurveFile, results.TrialFile, "queries"}, parts[1]) {
			return nil
		}
		sums[name], _, err = disk.SHA256(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// An array that counts from 0 asks for shard 0, which does not exist: it is refused, and does
// not rank all shards instead.
func TestShardZero(t *testing.T) {
	t.Chdir(t.TempDir())
	verbFails(t, usage.ExitUsage, "--shard 0: want 1 to 3, as --shards says", "evaluate", "--model", "random", "--data", "mini-bright", "--shards", "3", "--shard", "0", "--out", "out")
}
