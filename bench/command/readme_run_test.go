package command

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notRun are the commands of the README that its test does not type, by what they
// contain, and why.
var notRun = []struct{ has, why string }{
	{"--engine slurm", "wants a cluster: .ci/slurm/run starts one"},
	{"--active", "trains for an hour: TestActiveSweep runs a small one"},
	{"--remote-api cohere", "wants a key: TestRehearsal types it to endpoints in miniature"},
	{"--model chat ", "wants Ollama: TestChat* ask an endpoint on loopback"},
	{"--index chroma", "wants a server: .ci/chroma/run starts one"},
	{"infbench serve", "serves until it is ended: .ci/browser/run follows a sweep on its pages"},
	{"bench/experiments/...", "stands for every file: TestReadmeNeeds plans them all"},
}

// readmeCommand is a command as the README has it.
type readmeCommand struct {
	line int
	text string
	in   string // its section
}

// inlineCommand is a command in the midst of a sentence.
var inlineCommand = regexp.MustCompile("(?s)`(infbench [^`]+)`")

// readmeCommands are all of the README: lines of their own, remarks left out, and those
// in sentences.
func readmeCommands(t *testing.T) (all []readmeCommand) {
	t.Helper()
	text := string(mustRead(t, filepath.Join("..", "..", "README.md")))
	section, n := "", 0
	for line := range strings.Lines(text) {
		n++
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(title)
		}
		command, ok := strings.CutPrefix(strings.TrimPrefix(line, "    $ "), "    ")
		if command = strings.TrimPrefix(command, "$ "); strings.HasPrefix(line, "    $ infbench ") {
			command, ok = strings.TrimPrefix(line, "    $ "), true
		}
		if ok && strings.HasPrefix(command, "infbench ") {
			command, _, _ = strings.Cut(command, " #")
			all = append(all, readmeCommand{n, strings.TrimSpace(command), section})
		}
	}
	for _, at := range inlineCommand.FindAllStringSubmatchIndex(text, -1) {
		before := text[:at[0]]
		_, section, _ := strings.Cut(before[strings.LastIndex("\n"+before, "\n## "):], "## ")
		section, _, _ = strings.Cut(section, "\n")
		all = append(all, readmeCommand{1 + strings.Count(before, "\n"), strings.Join(strings.Fields(text[at[2]:at[3]]), " "), section})
	}
	return all
}

// theirs says which other test types a command, or why none does; "" of those that
// TestReadme types.
func (c readmeCommand) theirs() string {
	if c.in == "The paper" {
		return "TestRehearsal types the section on the paper"
	}
	if c.in == "On a GPU" {
		return "wants a card: make device-check tries what can be without one"
	}
	for _, n := range notRun {
		if strings.Contains(c.text, n.has) {
			return n.why
		}
	}
	return ""
}

// TestReadmeCommandsAreTyped holds the list of what is not typed to the README.
func TestReadmeCommandsAreTyped(t *testing.T) {
	all := readmeCommands(t)
	typed := 0
	for _, c := range all {
		if c.theirs() == "" {
			typed++
		}
	}
	if typed < 60 {
		t.Errorf("%d of %d commands of the README are typed", typed, len(all))
	}
	for _, n := range notRun {
		if !slices.ContainsFunc(all, func(c readmeCommand) bool { return strings.Contains(c.text, n.has) }) {
			t.Errorf("the README has no command with %q, which is not typed because it %s", n.has, n.why)
		}
	}
}

// readmeStage is a fresh clone with the hub in miniature. Smaller than in a clone are the
// demo (two losses and three baselines on two benchmarks instead of eleven and five on
// three, a tenth of the training data) and the curated corpus (200 seeds instead of 2,000).
type readmeStage struct {
	*rehearsalStage
	made map[string]bool
}

func newReadmeStage(t *testing.T) *readmeStage {
	t.Helper()
	s := &readmeStage{newRehearsal(t), map[string]bool{}}
	s.copySmaller("experiments", "demo.yaml", `(?s)loss: \[.*?\]\n`, "loss: [uni(P), \"multi(P,I)\"]\n", `(?m)^  seed: 1$`, "  seed: 1\n  share: 0.1", `baselines: .*`, "baselines: [untrained, bm25, random]", `evaluate: .*`, "evaluate: [mini-followir, mini-bright]")
	s.copySmaller("corpora", "mini.yaml", `records: 2000`, "records: 200")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(s.home, "bin")
	writeFile(t, filepath.Join(bin, "infbench"), "#!/bin/sh\n"+asCommand+"=1 exec '"+program+"' \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "infbench"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"))
	return s
}

// copySmaller copies a folder of bench, in one file of which patterns are replaced.
func (s *readmeStage) copySmaller(folder, file string, replace ...string) {
	s.t.Helper()
	to := filepath.Join(s.dir, "bench", folder)
	text := string(mustRead(s.t, filepath.Join("..", folder, file)))
	for i := 0; i < len(replace); i += 2 {
		smaller := regexp.MustCompile(replace[i]).ReplaceAllString(text, replace[i+1])
		if smaller == text {
			s.t.Fatalf("%s has no %q to make smaller", file, replace[i])
		}
		text = smaller
	}
	if err := os.CopyFS(to, os.DirFS(filepath.Join("..", folder))); err != nil {
		s.t.Fatal(err)
	}
	writeFile(s.t, filepath.Join(to, file), text)
}

// typed runs a command line in a shell, as a reader of the README does.
func (s *readmeStage) typed(c readmeCommand) error {
	for _, given := range placeholders {
		if !s.made[given.name] && slices.ContainsFunc(given.in(), func(word string) bool { return strings.Contains(c.text, word) }) {
			s.made[given.name] = true
			given.make(s)
		}
	}
	cmd := exec.Command("bash", "-c", c.text)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // its children's as well
	s.t.Logf("%6.1f s of a processor  %s", took.Seconds(), c.text)
	if err != nil {
		return fmt.Errorf("README.md:%d: %s: %w\n%s", c.line, c.text, err, out)
	}
	return nil
}

// TestReadme types the README's commands in their order, in a folder that is like a fresh
// clone, against the hub in miniature. INFBENCH_README=1 makes it; it takes minutes.
func TestReadme(t *testing.T) {
	if os.Getenv("INFBENCH_README") == "" {
		t.Skip("SKIP: make readme types the README's commands")
	}
	s := newReadmeStage(t)
	for _, c := range readmeCommands(t) {
		if c.theirs() != "" {
			continue
		}
		if err := s.typed(c); err != nil {
			t.Error(err)
		}
	}
}

// placeholder is what the README's commands name and a reader has: words that stand for
// it, and how the test makes it.
type placeholder struct {
	name string   // what it makes
	also []string // other words that stand for it
	make func(*readmeStage)
}

func (p placeholder) in() []string { return append([]string{p.name}, p.also...) }

// placeholders are made before the first command that names them, in this order.
var placeholders = []placeholder{
	{"runs/demo", nil, func(s *readmeStage) { s.run("sweep", "bench/experiments/demo.yaml") }}, // make demo
	{"trip.jsonl", nil, func(s *readmeStage) { oddTriplets(s.t, s.path("trip.jsonl")) }},
	{"scifact/beir", nil, func(s *readmeStage) { oddCollection(s.t, s.path("scifact/beir")) }},
	{"path/to/beir/scifact", nil, func(s *readmeStage) { oddCollection(s.t, s.path("path/to/beir/scifact")) }},
	{"elsewhere/demo", nil, func(s *readmeStage) { s.copy("part/demo", "elsewhere/demo") }},
	{"e5-base-v2", nil, func(s *readmeStage) { s.run("models", "fetch", "intfloat/e5-base-v2") }},
	{"path/to/model", nil, func(s *readmeStage) { s.copy("scratch/model", "path/to/model") }},
	{"path/to/cross-encoder", nil, func(s *readmeStage) {
		s.run("models", "fetch", "castorini/monobert-large-msmarco")
		s.link(s.snapshot("castorini/monobert-large-msmarco"), "path/to/cross-encoder")
	}},
	{"path/to/base", nil, func(s *readmeStage) {
		small := s.t.TempDir()
		smallAdapter(s.t, small)
		s.link(filepath.Join(small, "small-bert"), "path/to/base")
		s.link(filepath.Join(small, "adapter"), "path/to/adapter")
	}},
	{"cache ls vectors", nil, func(s *readmeStage) {
		s.run("evaluate", "--model", "path/to/model", "--data", "mini-bright", "--task", "nature", "--cache", "vectors")
	}},
	{"runs/x", []string{"runs/a", "runs/main", "runs/demo-seeds"}, func(s *readmeStage) {
		for _, run := range []string{"runs/x", "runs/a", "runs/b", "runs/main", "runs/demo-seeds"} {
			s.copy("runs/demo", run)
		}
	}},
	{"old.run", []string{"qrels.txt"}, (*readmeStage).rankings},
	{"gate.yaml", nil, func(s *readmeStage) {
		s.write("gate.yaml", "rules:\n  - {measure: p-MRR, task: headline, system: uni(P), maximum_drop: 5}\n")
	}},
	{"answers.jsonl", []string{"evidence.txt"}, func(s *readmeStage) {
		s.write("answers.jsonl", `{"query_id": "1", "status": "completed", "answer": "It was X [7].", "retrieved_docids": ["7", "8"], "confidence": 85, "correct": true}`+"\n")
		s.write("evidence.txt", "1 0 7 1\n")
	}},
	{"scores.csv", nil, func(s *readmeStage) { s.write("scores.csv", "system,task,score\na,x,0.5\nb,x,0.4\nb,y,0.3\n") }},
	{"labels.csv", nil, func(s *readmeStage) { s.write("labels.csv", ratedPicks) }},
	{"FILE.yaml", nil, func(s *readmeStage) {
		corpusFile(s.t, s.dir)
		s.rename("corpus.yaml", "FILE.yaml")
		s.run("curate", "FILE.yaml")
	}},
	{"plan FILE", nil, func(s *readmeStage) { s.copyFile("bench/experiments/demo.yaml", "FILE") }},
	{"corpora/inf-ir", nil, func(s *readmeStage) { s.copy("corpora/curate-mini", "corpora/inf-ir") }},
	{"picks-*.json", nil, (*readmeStage).picks},
}

func (s *readmeStage) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *readmeStage) write(name, text string) { writeFile(s.t, s.path(name), text) }

func (s *readmeStage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *readmeStage) copy(from, to string) {
	s.t.Helper()
	s.must(os.CopyFS(s.path(to), os.DirFS(s.path(from))))
}

func (s *readmeStage) copyFile(from, to string) {
	s.write(to, string(mustRead(s.t, s.path(from))))
}

func (s *readmeStage) rename(from, to string) { s.must(os.Rename(s.path(from), s.path(to))) }

func (s *readmeStage) link(from, to string) {
	s.t.Helper()
	s.must(errors.Join(os.MkdirAll(filepath.Dir(s.path(to)), 0o755), os.Symlink(from, s.path(to))))
}

// rankings are judgments and random rankings of them.
func (s *readmeStage) rankings() {
	var qrels strings.Builder
	for q := range 30 {
		for d := range 10 {
			fmt.Fprintf(&qrels, "%d 0 d%d %d\n", q, d, d%3/2)
		}
	}
	s.write("qrels.txt", qrels.String())
	for i, name := range []string{"old.run", "run.txt", "a.run", "b.run", "a1.run", "a2.run", "b1.run", "b2.run"} {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		var run strings.Builder
		for q := range 30 {
			for rank, d := range rng.Perm(10) {
				fmt.Fprintf(&run, "%d Q0 d%d %d %d own\n", q, d, rank+1, 10-rank)
			}
		}
		s.write(name, run.String())
	}
}

// picks fill in the sheets of a study, each with its first candidates.
func (s *readmeStage) picks() {
	sheets, err := fs.Glob(os.DirFS(s.path("study")), "sheet-*.csv")
	s.must(err)
	for _, name := range sheets {
		rows, err := csv.NewReader(strings.NewReader(string(mustRead(s.t, s.path("study/"+name))))).ReadAll()
		s.must(err)
		at := slices.Index(rows[0], "pick")
		var filled strings.Builder
		w := csv.NewWriter(&filled)
		for i, row := range rows {
			if i > 0 {
				row[at] = fmt.Sprint(1 + (i*len(name))%3)
			}
			s.must(w.Write(row))
		}
		w.Flush()
		s.write("picks-"+strings.TrimSuffix(strings.TrimPrefix(name, "sheet-"), ".csv")+".json", filled.String())
	}
}
