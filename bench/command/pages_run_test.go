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

// notRun lists commands of the pages that TestPages does not type, by a part of their text,
// with the reason.
var notRun = []struct{ has, why string }{
	{"--engine slurm", "wants a cluster: .ci/slurm/run starts one"},
	{"--active", "trains for an hour: TestActiveSweep runs a small one"},
	{"--remote-api cohere", "wants a key: TestRehearsal types it to endpoints in miniature"},
	{"--model chat ", "wants Ollama: TestChat* ask an endpoint on loopback"},
	{"--index chroma", "wants a server: .ci/chroma/run starts one"},
	{"infbench serve", "serves until it is ended: .ci/browser/run follows a sweep on its pages"},
	{"sweep paper-losses.yaml", "trains the paper's models: TestRehearsal sweeps that file in miniature"},
	{"bench/experiments/...", "stands for every file: TestPaperNeeds plans them all"},
}

// pagesOfOthers lists the pages that TestPages does not type, with the reason.
var pagesOfOthers = map[string]string{
	"docs/paper.md":      "TestRehearsal types it",
	"docs/recipes.md":    "TestRecipesPage types it to an endpoint on loopback",
	"docs/devices.md":    "wants a card: make device-check tries what can be tried without one",
	"docs/researcher.md": "TestNewcomer types it",
	"docs/ci.md":         "TestNewcomer types it",
	"docs/reviewer.md":   "TestNewcomer types it",
}

// pageCommand is a command on a page.
type pageCommand struct {
	page string // its path
	line int
	text string
}

func (c pageCommand) String() string { return fmt.Sprintf("%s:%d: %s", c.page, c.line, c.text) }

// inlineCommand matches a command within a sentence.
var inlineCommand = regexp.MustCompile("(?s)`(infbench [^`]+)`")

// commands returns all commands of a page: first those on their own indented lines, without
// comments, then those within sentences.
func (p docPage) commands() (all []pageCommand) {
	n := 0
	for line := range strings.Lines(unfenced(p.text)) {
		n++
		command, ok := strings.CutPrefix(line, "    ")
		if command = strings.TrimPrefix(command, "$ "); ok && strings.HasPrefix(command, "infbench ") {
			command, _, _ = strings.Cut(command, " #")
			all = append(all, pageCommand{p.path, n, strings.TrimSpace(command)})
		}
	}
	for _, found := range inlineCommand.FindAllStringSubmatchIndex(p.text, -1) {
		line := 1 + strings.Count(p.text[:found[0]], "\n")
		all = append(all, pageCommand{p.path, line, strings.Join(strings.Fields(p.text[found[2]:found[3]]), " ")})
	}
	return all
}

// pageCommands are the commands of all pages.
func pageCommands(t *testing.T) (all []pageCommand) {
	t.Helper()
	for _, p := range docPages(t) {
		all = append(all, p.commands()...)
	}
	return all
}

// theirs names the other test that types a command, or the reason why none does; "" if
// TestPages types it.
func (c pageCommand) theirs() string {
	if why := pagesOfOthers[c.page]; why != "" {
		return why
	}
	for _, n := range notRun {
		if strings.Contains(c.text, n.has) {
			return n.why
		}
	}
	return ""
}

// TestPagesAreTyped checks the list of untyped commands against the pages.
func TestPagesAreTyped(t *testing.T) {
	all := pageCommands(t)
	typed := map[string]int{}
	for _, c := range all {
		typed[c.theirs()]++
	}
	t.Logf("of %d commands TestPages types %d, TestNewcomer %d", len(all), typed[""], typed["TestNewcomer types it"])
	if typed[""] < 95 || typed["TestNewcomer types it"] < 40 {
		t.Errorf("of %d commands TestPages types %d, want 95, and TestNewcomer %d, want 40", len(all), typed[""], typed["TestNewcomer types it"])
	}
	for _, n := range notRun {
		if !slices.ContainsFunc(all, func(c pageCommand) bool { return strings.Contains(c.text, n.has) }) {
			t.Errorf("no page has a command with %q, which is not typed because it %s", n.has, n.why)
		}
	}
	for path := range pagesOfOthers {
		if !slices.ContainsFunc(all, func(c pageCommand) bool { return c.page == path }) {
			t.Errorf("%s has no command", path)
		}
	}
}

// pageStage is a fresh clone with the miniature hub. Some parts are smaller than in a clone:
// the demo (two losses and three baselines on two benchmarks instead of eleven and five on
// three, a tenth of the training data) and the curated corpus (200 seeds instead of 2,000).
type pageStage struct {
	*rehearsalStage
	made map[string]bool
	demo string // the run folder of the demo, once made
}

func newPageStage(t *testing.T) *pageStage {
	t.Helper()
	s := &pageStage{rehearsalStage: newRehearsal(t)}
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
	s.clone()
	return s
}

// clone continues in another folder that is like a fresh clone.
func (s *pageStage) clone() {
	s.t.Helper()
	s.dir, s.made = s.t.TempDir(), map[string]bool{}
	s.must(os.CopyFS(s.path("bench/claims"), os.DirFS("../claims")))
	s.copySmaller("experiments", "demo.yaml", `(?s)loss: \[.*?\]\n`, "loss: [uni(P), \"multi(P,I)\"]\n", `(?m)^  seed: 1$`, "  seed: 1\n  share: 0.1", `baselines: .*`, "baselines: [untrained, bm25, random]", `evaluate: .*`, "evaluate: [mini-followir, mini-bright]")
	s.must(os.CopyFS(s.path(".github"), os.DirFS("../../.github")))
	s.copySmaller("corpora", "mini.yaml", `records: 2000`, "records: 200")
}

// copySmaller copies a folder of bench, with patterns replaced in one file.
func (s *pageStage) copySmaller(folder, file string, replace ...string) {
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

// typed runs a command line in a shell, as a reader of the page does.
func (s *pageStage) typed(c pageCommand) error {
	for _, given := range placeholders {
		if !s.made[given.name] && slices.ContainsFunc(given.in(), func(word string) bool { return strings.Contains(c.text, word) }) {
			s.made[given.name] = true
			if _, err := os.Stat(s.path(given.name)); err != nil { // a command of the page may have made it
				given.make(s)
			}
		}
	}
	cmd := exec.Command("bash", "-c", c.text)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // includes its children
	s.t.Logf("%6.1f s of a processor  %s", took.Seconds(), c.text)
	if err != nil {
		return fmt.Errorf("%v: %w\n%s", c, err, out)
	}
	return nil
}

// TestPages types the commands of every page in order, each page in a folder that is like a
// fresh clone, with the miniature hub. INFBENCH_PAGES=1 runs it; it takes minutes.
func TestPages(t *testing.T) {
	if os.Getenv("INFBENCH_PAGES") == "" {
		t.Skip("SKIP: make pages types the commands of README.md and docs")
	}
	s := newPageStage(t)
	for _, p := range docPages(t) {
		s.clone()
		for _, c := range p.commands() {
			if c.theirs() != "" {
				continue
			}
			if err := s.typed(c); err != nil {
				t.Error(err)
			}
		}
	}
}

// placeholder is something that a page's commands name and the reader must supply: its words,
// and how the test makes it.
type placeholder struct {
	name string   // name of the result
	also []string // other words for it
	make func(*pageStage)
}

func (p placeholder) in() []string { return append([]string{p.name}, p.also...) }

// placeholders are made before the first command that names them, in this order.
var placeholders = []placeholder{
	{"runs/demo", nil, (*pageStage).makeDemo},
	{"trip.jsonl", nil, func(s *pageStage) { oddTriplets(s.t, s.path("trip.jsonl")) }},
	{"scifact/beir", nil, func(s *pageStage) { oddCollection(s.t, s.path("scifact/beir")) }},
	{"path/to/beir/scifact", nil, func(s *pageStage) { oddCollection(s.t, s.path("path/to/beir/scifact")) }},
	{"path/to/followtable", nil, func(s *pageStage) { writeNarrowedSets(s.t, s.path("path/to/followtable"), "north", "south") }},
	{"elsewhere/demo", nil, func(s *pageStage) { s.copy("part/demo", "elsewhere/demo") }},
	{"e5-base-v2", nil, func(s *pageStage) { s.run("models", "fetch", "intfloat/e5-base-v2") }},
	{"scratch/model", nil, func(s *pageStage) { s.model("scratch/model") }},
	{"path/to/model", nil, func(s *pageStage) { s.model("path/to/model") }},
	{"path/to/cross-encoder", nil, func(s *pageStage) {
		s.run("models", "fetch", "castorini/monobert-large-msmarco")
		s.link(s.snapshot("castorini/monobert-large-msmarco"), "path/to/cross-encoder")
	}},
	{"path/to/base", nil, func(s *pageStage) {
		small := s.t.TempDir()
		smallAdapter(s.t, small)
		s.link(filepath.Join(small, "small-bert"), "path/to/base")
		s.link(filepath.Join(small, "adapter"), "path/to/adapter")
	}},
	{"cache ls vectors", nil, func(s *pageStage) {
		s.run("evaluate", "--model", "path/to/model", "--data", "mini-bright", "--task", "nature", "--cache", "vectors")
	}},
	{"runs/x", []string{"runs/a", "runs/main", "runs/demo-seeds"}, func(s *pageStage) {
		for _, run := range []string{"runs/x", "runs/a", "runs/b", "runs/main", "runs/demo-seeds"} {
			s.copy("runs/demo", run)
		}
	}},
	{"old.run", []string{"qrels.txt"}, (*pageStage).rankings},
	{"mine.run", nil, (*pageStage).ownRanking},
	{"gate.yaml", nil, func(s *pageStage) {
		s.write("gate.yaml", "rules:\n  - {measure: p-MRR, task: headline, system: uni(P), maximum_drop: 5}\n")
	}},
	{"answers.jsonl", []string{"evidence.txt"}, func(s *pageStage) {
		s.write("answers.jsonl", `{"query_id": "1", "status": "completed", "answer": "It was X [7].", "retrieved_docids": ["7", "8"], "confidence": 85, "correct": true}`+"\n")
		s.write("evidence.txt", "1 0 7 1\n")
	}},
	{"scores.csv", nil, func(s *pageStage) { s.write("scores.csv", "system,task,score\na,x,0.5\nb,x,0.4\nb,y,0.3\n") }},
	{"labels.csv", nil, func(s *pageStage) { s.write("labels.csv", ratedPicks) }},
	{"FILE.yaml", nil, func(s *pageStage) {
		corpusFile(s.t, s.dir)
		s.rename("corpus.yaml", "FILE.yaml")
		s.run("curate", "FILE.yaml")
	}},
	{"plan FILE", nil, func(s *pageStage) { s.copyFile("bench/experiments/demo.yaml", "FILE") }},
	{"corpora/inf-ir", nil, func(s *pageStage) { s.copy("corpora/curate-mini", "corpora/inf-ir") }},
	{"picks-*.json", nil, (*pageStage).picks},
}

// makeDemo runs make demo: a sweep the first time, later a copy of its result.
func (s *pageStage) makeDemo() {
	s.t.Helper()
	if s.demo == "" {
		s.run("sweep", "bench/experiments/demo.yaml")
		s.demo = s.path("runs/demo")
		return
	}
	s.must(os.CopyFS(s.path("runs/demo"), os.DirFS(s.demo)))
}

// model copies a model that the demo trained into a folder.
func (s *pageStage) model(to string) {
	s.t.Helper()
	if _, err := os.Stat(s.path("runs/demo")); err != nil {
		s.makeDemo()
	}
	trained, err := filepath.Glob(s.path("runs/demo/trials/*/model"))
	if s.must(err); len(trained) == 0 {
		s.t.Fatal("the demo left no model")
	}
	s.must(os.CopyFS(s.path(to), os.DirFS(trained[0])))
}

func (s *pageStage) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *pageStage) write(name, text string) { writeFile(s.t, s.path(name), text) }

func (s *pageStage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *pageStage) copy(from, to string) {
	s.t.Helper()
	s.must(os.CopyFS(s.path(to), os.DirFS(s.path(from))))
}

func (s *pageStage) copyFile(from, to string) {
	s.write(to, string(mustRead(s.t, s.path(from))))
}

func (s *pageStage) rename(from, to string) { s.must(os.Rename(s.path(from), s.path(to))) }

func (s *pageStage) link(from, to string) {
	s.t.Helper()
	s.must(errors.Join(os.MkdirAll(filepath.Dir(s.path(to)), 0o755), os.Symlink(from, s.path(to))))
}

// rankings makes judgments and random rankings of them.
func (s *pageStage) rankings() {
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

// ownRanking writes the exported rankings of one trial into one file, as docs/python.md does.
func (s *pageStage) ownRanking() {
	files, err := fs.Glob(os.DirFS(s.path("rankings")), "*/mini-bright.*.trec")
	s.must(err)
	if len(files) == 0 {
		s.t.Fatal("no exported rankings")
	}
	var all []byte
	for _, name := range files {
		if filepath.Dir(name) == filepath.Dir(files[0]) {
			all = append(all, mustRead(s.t, s.path("rankings/"+name))...)
		}
	}
	s.write("mine.run", string(all))
}

// picks fills in the sheets of a study, each with its first candidates.
func (s *pageStage) picks() {
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
