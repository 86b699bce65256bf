package submit

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

const (
	headline = "runs/mini-followir.headline.trec"
	nature   = "runs/mini-bright.nature.trec"
)

// TestCheckGood: a submission of rankings passes, and so does one of scores alone. Rankings are
// recomputed; scores count as claimed, by query or not.
func TestCheckGood(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fixture)
		want   results.Standing
	}{
		"rankings and scores": {func(*fixture) {}, results.Recomputed},
		"rankings":            {func(f *fixture) { f.without(results.ScoresFile) }, results.Recomputed},
		"means":               {func(f *fixture) { f.without("runs/") }, results.Claimed},
		"values by query": {func(f *fixture) {
			_, scored := rankings(f.t, load(f.t, "mini-followir"))
			f.files[results.ScoresFile] = jsonLines(f.t, scored)
			f.without("runs/")
		}, results.Claimed},
		"in part":               {func(f *fixture) { f.without(headline) }, results.Partly},
		"byte order mark":       {func(f *fixture) { f.files[headline] = "\ufeff" + f.files[headline] }, results.Recomputed},
		"rounded":               {func(f *fixture) { f.files[results.ScoresFile] = rounded(f.t, 4) }, results.Recomputed},
		"partial with a reason": {func(f *fixture) { f.files[DeclarationFile] += "partial: no time\n"; f.without("runs/"); f.drop("null") }, results.Claimed},
		"ties by insertion": {func(f *fixture) {
			f.replace(DeclarationFile, "ties: document ID", "ties: insertion")
			f.files[results.ScoresFile] = strings.ReplaceAll(f.files[results.ScoresFile], `"p-MRR"`, `"p-MRR(ties='insertion')"`)
			f.without("runs/")
		}, results.Claimed},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "mini-followir")
			c.change(f)
			s, err := summary(t, options{}, f.dir())
			if err != nil || s.Accepted != 1 || s.Refused != 0 || len(s.faults(f.all)) > 0 {
				t.Fatalf("%v: %v", err, s.faults(f.all))
			}
			if got := s.Submissions[0].Standing; got != c.want {
				t.Errorf("standing %q, want %q", got, c.want)
			}
		})
	}
}

// drop removes the scores of a task.
func (f *fixture) drop(task string) {
	var kept []string
	for line := range strings.Lines(f.files[results.ScoresFile]) {
		if !strings.Contains(line, `"task":"`+task+`"`) {
			kept = append(kept, line)
		}
	}
	f.files[results.ScoresFile] = strings.Join(kept, "")
}

// TestCheckMTEB: scores in MTEB's format are read under its names, for the declared data. A
// benchmark that is not available causes a note that nothing more was checked.
func TestCheckMTEB(t *testing.T) {
	const revision = "0000000, e39ff896cf3efbbdeeb950e6bd7c79f266995b07, 1111111"
	f := newFixture(t, "mini-followir")
	f.without("runs/")
	f.without("scores")
	f.replace(DeclarationFile, "mini-followir", "followir")
	f.replace(DeclarationFile, board().benches.loaded["mini-followir"].Revision, revision)
	f.files["scores/Core17InstructionRetrieval.json"] = mteb("Core17InstructionRetrieval")
	out := filepath.Join(t.TempDir(), "out")
	s, err := summary(t, options{out: out}, f.dir())
	if err != nil || s.Accepted != 1 || s.Submissions[0].Standing != results.Claimed || !strings.Contains(strings.Join(s.Submissions[0].Notes, "\n"), "followir is not available here") {
		t.Fatalf("%v: %+v", err, s)
	}
	exp, err := runs.At(out).Reader().Load()
	if err != nil || len(exp.Trials) != 1 {
		t.Fatal(err)
	}
	got := exp.Trials[0]
	if b := got.Provenance.Benchmarks[0]; b.Name != "followir" || b.Revision != revision || !got.Results[0].Aggregate || got.Provenance.Submission.By != "Ada" {
		t.Errorf("%+v", got)
	}
	f.replace("scores/Core17InstructionRetrieval.json", "e39ff896", "a39ff896")
	s, _ = summary(t, options{}, f.dir())
	same(t, s.faults(f.all), []string{"scores/Core17InstructionRetrieval.json: has revision a39ff896"})
	f.files["runs/followir.core17.trec"] = "q Q0 d 1 1 x\n"
	if _, err := summary(t, options{}, f.dir()); exitCode(err) != 1 || !strings.Contains(err.Error(), "its rankings cannot be scored") {
		t.Errorf("rankings for unavailable data: %v", err)
	}
}

// TestCheckFaults: every kind of fault is reported with its file, and its line if there is one.
func TestCheckFaults(t *testing.T) {
	field := func(n int, text string) func([]string) []string {
		return func(fields []string) []string { fields[n] = text; return fields }
	}
	for name, c := range map[string]struct {
		benchmark string
		change    func(*fixture)
		want      []string // prefixes of all faults, in order
	}{
		"no declaration":  {change: func(f *fixture) { delete(f.files, DeclarationFile) }, want: []string{"submission.yaml: is missing"}},
		"no YAML":         {change: func(f *fixture) { f.files[DeclarationFile] = "a: b: c\n" }, want: []string{"submission.yaml:1: "}},
		"empty":           {change: func(f *fixture) { f.files[DeclarationFile] = "" }, want: []string{"submission.yaml: empty file"}},
		"alien key":       {change: func(f *fixture) { f.replace(DeclarationFile, "licence:", "license:") }, want: []string{"submission.yaml:1: licence is missing", `submission.yaml:7: unknown key "license"`}},
		"key missing":     {change: func(f *fixture) { f.replace(DeclarationFile, "  prompts: none\n", "") }, want: []string{"submission.yaml:16: conventions.prompts is missing"}},
		"training unsaid": {change: func(f *fixture) { f.replace(DeclarationFile, "benchmarks: []", "benchmarks:") }, want: []string{"submission.yaml:14: training.benchmarks is empty"}},
		"several": {change: func(f *fixture) {
			f.replace(DeclarationFile, "by: Ada", "by:")
			f.replace(DeclarationFile, "2026-11-22", "22.11.")
		}, want: []string{"submission.yaml:5: by is empty", `submission.yaml:8: date: "22.11."`}},
		"future":           {change: func(f *fixture) { f.replace(DeclarationFile, "2026-11-22", "2026-12-24") }, want: []string{"submission.yaml:8: date: 2026-12-24 is in the future"}},
		"no address":       {change: func(f *fixture) { f.replace(DeclarationFile, "https://acme", "javascript://acme") }, want: []string{`submission.yaml:4: model: "javascript://acme`}},
		"no contact":       {change: func(f *fixture) { f.replace(DeclarationFile, "ada@acme.org", "ada") }, want: []string{`submission.yaml:6: contact: "ada"`}},
		"name of a folder": {change: func(f *fixture) { f.replace(DeclarationFile, "revision: v1", "revision: ../../x") }, want: []string{`submission.yaml:3: revision: "../../x"`, `submission.yaml:3: revision "../../x" is in the folder "v1"`}},
		"other folder":     {change: func(f *fixture) { f.replace(DeclarationFile, "acme/embed-1", "acme/embed-2") }, want: []string{`submission.yaml:2: system "acme/embed-2" is in the folder "acme__embed-1" instead of "acme__embed-2"`}},
		"no organisation":  {change: func(f *fixture) { f.replace(DeclarationFile, "acme/embed-1", "embed") }, want: []string{"submission.yaml:2: system", "submission.yaml:2: system"}},
		"unknown benchmark": {change: func(f *fixture) {
			f.replace(DeclarationFile, "mini-followir", "mini-folowir")
			f.without("runs/")
			f.without("scores")
		}, want: []string{`submission.yaml:11: benchmarks: unknown benchmark "mini-folowir"; did you mean "mini-followir"?`}},
		"path as a benchmark": {change: func(f *fixture) {
			f.replace(DeclarationFile, "mini-followir", "/etc")
			f.without("runs/")
			f.without("scores")
		}, want: []string{`submission.yaml:11: benchmarks: unknown benchmark "/etc"`}},
		"other data": {change: func(f *fixture) {
			f.replace(DeclarationFile, "world=1", "world=2")
			f.without("runs/")
		}, want: []string{"submission.yaml:10: mini-followir has revision"}},
		"benchmark of training": {change: func(f *fixture) { f.replace(DeclarationFile, "benchmarks: []", "benchmarks: [folowir]") }, want: []string{`submission.yaml:14: training.benchmarks: unknown benchmark "folowir"`}},
		"order of ties":         {change: func(f *fixture) { f.replace(DeclarationFile, "ties: document ID", "ties: random") }, want: []string{`submission.yaml:17: conventions.ties: unknown order of ties "random"`}},
		"file changed": {change: func(f *fixture) {
			f.declareFiles()
			f.files[results.ScoresFile] = strings.Replace(f.files[results.ScoresFile], "\n", " \n", 1)
		}, want: []string{"scores.jsonl: has changed since it was declared: its SHA-256 is "}},
		"file missing": {change: func(f *fixture) {
			f.declareFiles()
			f.without(results.ScoresFile)
		}, want: []string{"scores.jsonl: is missing, but submission.yaml names it"}},
		"file undeclared": {change: func(f *fixture) {
			scores := f.files[results.ScoresFile]
			f.without(results.ScoresFile)
			f.declareFiles()
			f.files[results.ScoresFile] = scores
		}, want: []string{"scores.jsonl: is not among the files of submission.yaml"}},
		"replaces nothing": {change: func(f *fixture) { f.files[DeclarationFile] += "replaces: v0\n" }, want: []string{`submission.yaml:19: the system has no revision "v0"`}},
		"replaces itself":  {change: func(f *fixture) { f.files[DeclarationFile] += "replaces: v1\n" }, want: []string{"submission.yaml:19: replaces: a revision cannot replace itself", "submission.yaml:19: the revisions of the system replace each other in a circle"}},

		"task missing": {change: func(f *fixture) { f.without(headline); f.drop("headline") }, want: []string{"submission.yaml:10: mini-followir: 1 of 4 tasks are missing: headline"}},
		"unknown task": {change: func(f *fixture) {
			f.files["runs/mini-followir.headlin.trec"] = f.files[headline]
			f.without(headline)
			f.drop("headline")
		}, want: []string{`runs/mini-followir.headlin.trec: unknown name of a task's rankings "mini-followir.headlin"; did you mean "mini-followir.headline"?`, "submission.yaml:10: mini-followir: 1 of 4 tasks"}},
		"no rankings": {change: func(f *fixture) { f.files[headline] = "# nothing\n" }, want: []string{headline + ": no rankings in this file"}},
		"not packed": {change: func(f *fixture) {
			f.files[headline+".gz"] = f.files[headline]
			f.without(headline + "\x00")
			delete(f.files, headline)
		}, want: []string{headline + ".gz: its content does not match its extension"}},
		"packed":        {change: func(f *fixture) { f.files[headline] = "BZh91AY&SY" + f.files[headline] }, want: []string{headline + ": its content does not match its extension: found bzip2"}},
		"packed unsaid": {change: func(f *fixture) { f.files[headline] = "\x1f\x8b" + f.files[headline] }, want: []string{headline + ": its content does not match its extension: found gzip"}},
		"cut short":     {change: func(f *fixture) { f.files[headline+".gz"] = "\x1f\x8b\x08"; delete(f.files, headline) }, want: []string{headline + ".gz: cannot be read: gzip: unexpected EOF"}},
		"UTF-16":        {change: func(f *fixture) { f.files[headline] = "\xff\xfe" + f.files[headline] }, want: []string{headline + ": cannot be read: "}},
		"mark within": {change: func(f *fixture) {
			f.line(headline, 1, func(s []string) []string { s[0] = "\ufeff\ufeff" + s[0]; return s })
		}, want: []string{headline + `:1: query "\ufeff`}},
		"twice":         {change: func(f *fixture) { f.files[headline+".gz"] = "x" }, want: []string{headline + ".gz: and " + headline + " are both rankings of mini-followir/headline"}},
		"fields":        {change: func(f *fixture) { f.line(headline, 3, func(s []string) []string { return s[:5] }) }, want: []string{headline + ":3: 5 fields; want six"}},
		"rank":          {change: func(f *fixture) { f.line(headline, 3, field(3, "third")) }, want: []string{headline + `:3: rank "third"`}},
		"NaN":           {change: func(f *fixture) { f.line(headline, 4, field(4, "NaN")) }, want: []string{headline + `:4: score "NaN" is not a finite number`}},
		"infinite":      {change: func(f *fixture) { f.line(headline, 4, field(4, "-inf")) }, want: []string{headline + `:4: score "-inf" is not a finite number`}},
		"unknown query": {change: func(f *fixture) { f.line(headline, 5, field(0, "q<b>")) }, want: []string{headline + `:5: query "q<b>" is not in the task`}},
		"duplicate":     {change: func(f *fixture) { f.line(headline, 2, field(2, strings.Fields(f.files[headline])[2])) }, want: []string{headline + ":2: document "}},
		"no candidate":  {change: func(f *fixture) { f.line(headline, 2, field(2, "followir-x")) }, want: []string{headline + `:2: document "followir-x" is not a candidate of query`}},
		"unknown doc":   {benchmark: "mini-bright", change: func(f *fixture) { f.line(nature, 7, field(2, "x\x1b[2J")) }, want: []string{nature + `:7: document "x\x1b[2J" is not in the corpus`}},
		"too deep":      {change: func(f *fixture) { f.replace(DeclarationFile, "depth: 100", "depth: 59"); f.keep(headline) }, want: []string{headline + ":60: query "}},
		"query missing": {change: func(f *fixture) {
			f.files[headline] = f.files[headline][strings.Index(f.files[headline], "headline-002"):]
			f.without(results.ScoresFile)
		}, want: []string{headline + ": 2 of 160 queries have no ranking"}},
		"several at once": {change: func(f *fixture) { f.line(headline, 3, field(4, "NaN")); f.line(headline, 9, field(3, "x")) }, want: []string{headline + ":3: ", headline + ":9: "}},

		"difference":      {change: func(f *fixture) { f.claim(1, func(v float64) float64 { return v + .001 }) }, want: []string{"scores.jsonl:1: p-MRR of mini-followir/headline: claimed "}},
		"no JSON":         {change: func(f *fixture) { f.files[results.ScoresFile] = "{\n" + f.files[results.ScoresFile] }, want: []string{"scores.jsonl:1: not a value of a query"}},
		"alien field":     {change: func(f *fixture) { f.replace(results.ScoresFile, `"value":`, `"vlaue":`) }, want: []string{"scores.jsonl:1: not a value of a query"}},
		"times 100":       {change: func(f *fixture) { f.claim(2, func(v float64) float64 { return 100 * v }) }, want: []string{"scores.jsonl:2: AP@1000 original of mini-followir/headline is "}},
		"unknown measure": {change: func(f *fixture) { f.replace(results.ScoresFile, "AP@1000", "AQ@1000") }, want: []string{"scores.jsonl:2: measure \"AQ@1000\": unknown measure"}},
		"claim twice": {change: func(f *fixture) {
			f.files[results.ScoresFile] += strings.SplitAfter(f.files[results.ScoresFile], "\n")[0]
		}, want: []string{"scores.jsonl:21: p-MRR of mini-followir/headline is already in scores.jsonl:1"}},
		"claim of a task": {change: func(f *fixture) { f.replace(results.ScoresFile, `"headline"`, `"headlines"`) }, want: []string{`scores.jsonl:1: unknown task of mini-followir "headlines"; did you mean "headline"?`}},
		"claim of a query": {change: func(f *fixture) {
			f.replace(results.ScoresFile, `"query":""`, `"query":"q"`)
			f.replace(results.ScoresFile, `,"aggregate":true`, "")
		}, want: []string{`scores.jsonl:1: query "q" is not in mini-followir/headline`}},
		"claim of others":   {change: func(f *fixture) { f.replace(results.ScoresFile, `"mini-followir"`, `"bright"`) }, want: []string{`scores.jsonl:1: benchmark "bright" is not in submission.yaml`}},
		"other ties":        {change: func(f *fixture) { f.replace(results.ScoresFile, `"p-MRR"`, `"p-MRR(ties='insertion')"`) }, want: []string{"scores.jsonl:1: p-MRR(ties='insertion') of mini-followir/headline has another order of ties"}},
		"numbers unclaimed": {change: func(f *fixture) { f.without("runs/"); f.cut(results.ScoresFile, 1) }, want: []string{"acme__embed-1/v1: 1 numbers of mini-followir/headline are not claimed: p-MRR of mini-followir/headline"}},
		"nothing": {change: func(f *fixture) {
			f.without("runs/")
			f.without("scores")
			f.files[DeclarationFile] += "partial: all\n"
		}, want: []string{"acme__embed-1/v1: has neither rankings nor scores"}},
		"MTEB's, broken": {change: func(f *fixture) { f.files["scores/X.json"] = "{\n\"a\": NaN}" }, want: []string{"scores/X.json:2: NaN is not a JSON number"}},
		"MTEB's, of another": {change: func(f *fixture) {
			f.files["scores/Core17InstructionRetrieval.json"] = mteb("Core17InstructionRetrieval")
		}, want: []string{"scores/Core17InstructionRetrieval.json: is for followir, which is not a benchmark of submission.yaml"}},

		"other file":  {change: func(f *fixture) { f.files["run.py"] = "import os" }, want: []string{"run.py: is not part of a submission"}},
		"other name":  {change: func(f *fixture) { f.files["runs/a b.trec"] = "x" }, want: []string{"runs/a b.trec: is not part of a submission"}},
		"folder":      {change: func(f *fixture) { f.files["code/run.py"] = "import os" }, want: []string{"code: is not part of a submission"}},
		"hidden":      {change: func(f *fixture) { f.files[".git/config"] = "x" }, want: []string{".git: is not part of a submission"}},
		"large yaml":  {change: func(f *fixture) { f.files[DeclarationFile] += strings.Repeat("# x\n", maxDeclaration/4) }, want: []string{"submission.yaml: 65 KiB: a file of this kind may have", "submission.yaml: is missing"}},
		"case":        {change: func(f *fixture) { f.files["runs/Mini-followir.headline.trec"] = f.files[headline] }, want: []string{"runs/mini-followir.headline.trec: differs only in case from runs/Mini-followir.headline.trec", "runs/Mini-followir.headline.trec: unknown name"}},
		"many faults": {change: func(f *fixture) { f.files[headline] = strings.ReplaceAll(f.files[headline], " Q0 ", " ") }, want: slices.Concat(slices.Repeat([]string{headline + ":"}, 20), []string{headline + ": and 9580 more"})},
	} {
		t.Run(name, func(t *testing.T) {
			benchmark := c.benchmark
			if benchmark == "" {
				benchmark = "mini-followir"
			}
			f := newFixture(t, benchmark)
			c.change(f)
			s, err := summary(t, options{}, f.dir())
			if exitCode(err) != usage.ExitGate {
				t.Errorf("exit %d (%v), want %d", exitCode(err), err, usage.ExitGate)
			}
			same(t, s.faults(f.all), c.want)
		})
	}
}

// same compares faults with the expected prefixes.
func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("faults\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// keep keeps only the rankings of one task, complete, and gives a reason.
func (f *fixture) keep(name string) {
	for other := range f.files {
		if strings.HasPrefix(other, "runs/") && other != name {
			delete(f.files, other)
		}
	}
	first := strings.Fields(f.files[name])[0]
	var lines []string
	for line := range strings.Lines(f.files[name]) {
		if strings.HasPrefix(line, first+" ") {
			lines = append(lines, line)
		}
	}
	f.files[name] = strings.Join(lines, "")
	f.files[DeclarationFile] += "partial: short\n"
	delete(f.files, results.ScoresFile)
}

// cut removes a line.
func (f *fixture) cut(name string, n int) {
	lines := strings.SplitAfter(f.files[name], "\n")
	f.files[name] = strings.Join(slices.Delete(lines, n-1, n), "")
}

// TestCheckHostileFiles: links, pipes and devices are refused unread, and no name leads out of
// the folder.
func TestCheckHostileFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP: no pipes in folders here")
	}
	f := newFixture(t, "mini-followir")
	delete(f.files, headline)
	f.drop("headline")
	dir := f.dir()
	secret := filepath.Join(t.TempDir(), "secret")
	put(t, secret, "do not read")
	for link, to := range map[string]string{
		"runs/mini-followir.headline.trec": secret, "scores": filepath.Dir(secret), "runs/mini-followir.null.trec.gz": "/dev/zero", "runs/loop.trec": "loop.trec",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "runs", "pipe.trec"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := summary(t, options{}, dir)
	if exitCode(err) != usage.ExitGate {
		t.Error(err)
	}
	same(t, s.faults(f.all), []string{
		"runs/loop.trec: is a link", "runs/mini-followir.headline.trec: is a link", "runs/mini-followir.null.trec.gz: is a link", "runs/pipe.trec: is not a regular file",
		"scores: is a link", "submission.yaml:10: mini-followir: 1 of 4 tasks are missing: headline",
	})
}

// TestCheckHostileFolders: a link instead of a system or revision is refused, and so are other
// files next to folders.
func TestCheckHostileFolders(t *testing.T) {
	f := newFixture(t, "mini-followir")
	f.dir()
	put(t, filepath.Join(f.all, "README.md"), "how to")
	put(t, filepath.Join(f.all, "evil.sh"), "#!/bin/sh")
	put(t, filepath.Join(f.all, f.org, "notes"), "x")
	if err := os.Symlink("/etc", filepath.Join(f.all, "etc__passwd")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(f.rev, filepath.Join(f.all, f.org, "v2")); err != nil {
		t.Fatal(err)
	}
	s, err := summary(t, options{}, f.all)
	if exitCode(err) != usage.ExitGate || s.Accepted != 1 {
		t.Error(err)
	}
	same(t, s.faults(f.all), []string{
		"acme__embed-1/notes: is not a revision folder", "acme__embed-1/v2: is not a revision folder", "etc__passwd: is not a folder ORG__MODEL", "evil.sh: is not a folder ORG__MODEL",
	})
}

// TestCheckWarns: the check repeats the warnings of the reader of runs: ranks that contradict
// all scores.
func TestCheckWarns(t *testing.T) {
	f := newFixture(t, "mini-bright")
	var lines []string
	for line := range strings.Lines(f.files[nature]) {
		fields := strings.Fields(line)
		fields[4] = fields[3]
		lines = append(lines, strings.Join(fields, " ")+"\n")
	}
	f.files[nature] = strings.Join(lines, "")
	f.without(results.ScoresFile)
	s, err := summary(t, options{}, f.dir())
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(s.Submissions[0].Notes, "\n"); !strings.Contains(notes, nature+":2: all ranks contradict the scores") {
		t.Errorf("notes %s", notes)
	}
}

// TestCheckOwnDocuments: documents with their query's own ID are dropped from rankings of a
// task that never ranks them, as import does. Other excluded documents are refused, and so are
// documents that occur twice.
func TestCheckOwnDocuments(t *testing.T) {
	kept := *load(t, "mini-bright")
	kept.Tasks = slices.Clone(kept.Tasks)
	at := slices.IndexFunc(kept.Tasks, func(task datasets.Task) bool { return task.Name == "nature" })
	task := &kept.Tasks[at]
	corpus := slices.Clone(task.Corpus.(datasets.MemoryCorpus))
	for _, q := range task.Queries {
		corpus = append(corpus, datasets.Document{ID: q.ID, Text: q.Text})
	}
	task.Corpus = corpus
	drops := kept
	drops.Tasks = slices.Clone(kept.Tasks)
	if err := drops.DropSelf(); err != nil {
		t.Fatal(err)
	}
	first, second := task.Queries[0].ID, task.Queries[1].ID
	line := func(document string) string { return first + " Q0 " + document + " 0 2000 mine\n" }
	const note = " rankings have the document with the query's own ID, which the task drops"
	for name, c := range map[string]struct {
		of     *datasets.Benchmark
		lines  string // inserted before those of the fixture
		alone  bool   // the query has no others
		others bool   // the numbers differ from the fixture's
		fault  string
		note   string
	}{
		"none":                  {of: &drops},
		"own document":          {of: &drops, lines: line(first), note: nature + ": 1 of "},
		"nothing else":          {of: &drops, lines: line(first), alone: true, others: true, note: nature + ": 1 of "},
		"twice":                 {of: &drops, lines: line(first) + line(first), fault: nature + ":2: document "},
		"another query's":       {of: &drops, lines: line(second), others: true},
		"excluded, not its own": {of: &drops, lines: line(task.Excluded[first][0]), fault: nature + ":1: document "},
		"a task that ranks it":  {of: &kept, lines: line(first), others: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "mini-bright")
			rest := ""
			for line := range strings.Lines(f.files[nature]) {
				if !c.alone || !strings.HasPrefix(line, first+" ") {
					rest += line
				}
			}
			if f.files[nature] = c.lines + rest; c.others {
				f.without(results.ScoresFile)
			}
			k := &checker{day, board().known, benches{map[string]*bench{"mini-bright": {c.of, map[string]map[string]bool{}}}, map[string]error{}}}
			got, err := k.check(place{f.dir(), f.org, f.rev})
			if err != nil {
				t.Fatal(err)
			}
			var faults, want []string
			for _, fault := range got.faults.list() {
				faults = append(faults, strings.TrimPrefix(fault.String(), filepath.ToSlash(got.place.dir)+"/"))
			}
			if c.fault != "" {
				want = []string{c.fault}
			}
			same(t, faults, want)
			notes := strings.Join(got.notes, "\n")
			if c.fault == "" && strings.Contains(notes, note) != (c.note != "") || c.fault == "" && !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			run := got.runs[taskName{"mini-bright", "nature"}].run
			if _, owns := run.Selves()[first]; owns != (c.of == &kept) {
				t.Errorf("own document kept: %v", owns)
			}
		})
	}
}
