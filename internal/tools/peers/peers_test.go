package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/tools/pyenv"
)

// asItself makes the test binary behave as this program, for the processes that a comparison
// starts from itself.
const asItself = "PEERS_TEST_AS_ITSELF"

func TestMain(m *testing.M) {
	if os.Getenv(asItself) != "" && len(os.Args) == 4 {
		main()
		return
	}
	os.Exit(m.Run())
}

// Every bout runs from its inputs to the tables with the peers in the cache, on tiny inputs,
// and its record passes a comparison with itself. Nothing is fetched. INFBENCH_PYTHON=1 runs it.
func TestSmall(t *testing.T) {
	if os.Getenv("INFBENCH_PYTHON") == "" {
		t.Skip("SKIP: INFBENCH_PYTHON is not set: .ci/run python runs the peers on tiny inputs")
	}
	dir := t.TempDir()
	binary, out := filepath.Join(dir, "infbench"), filepath.Join(dir, "peers.json")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "infbench/bench")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Setenv(asItself, "1")
	offline(t)
	var printed bytes.Buffer
	err := run(t.Context(), &printed, []string{"-small", "-runs", "1", "-infbench", binary, "-work", dir, "-out", out, "-shared", testkit.Shared()})
	if err != nil {
		t.Fatalf("%v\n%s", err, &printed)
	}
	for line := range strings.Lines(printed.String()) {
		if strings.Contains(line, "SKIP") {
			t.Log(strings.TrimSpace(line))
		}
	}
	r, err := readRecord(out)
	if err != nil {
		t.Fatal(err)
	}
	checkSmall(t, r, printed.String())
	if worse, _ := r.worse(r); len(worse) > 0 {
		t.Errorf("worse than itself: %q", worse)
	}
	left, err := filepath.Glob(filepath.Join(dir, "infbench-peers-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// offline makes all registries unreachable.
func offline(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:9")
	t.Setenv("MAVEN_OPTS", "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=9")
}

// checkSmall checks that every row has figures, or a reason why not.
func checkSmall(t *testing.T, r *record, printed string) {
	t.Helper()
	for _, b := range bouts() {
		for _, want := range b.rows {
			l := find(r.Lines, func(l line) bool { return l.Row == want.name })
			switch {
			case l == nil:
				t.Errorf("%s: no row", want.name)
			case l.Why == "" && (l.Ratio == nil || l.Memory <= 0 || len(l.Ours.Seconds) != 1 || len(l.Theirs.MiB) != 1):
				t.Errorf("%s: %+v", want.name, l)
			case !strings.Contains(printed, want.work):
				t.Errorf("%s is not in the table", want.name)
			}
		}
	}
	for _, w := range ownWorks() {
		o := find(r.Own, func(o own) bool { return o.Row == w.name })
		if o == nil || o.Why == "" && (o.All == nil || len(o.All.Seconds) != 1) {
			t.Errorf("%s: %+v", w.name, o)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-rows encode,serch", `unknown row "serch"`},
		{"-rows serch", `did you mean "search"?`},
		{"-runs 0", "0 runs"},
		{"extra", `unexpected argument "extra"`},
	} {
		_, err := readSettings(strings.Fields(c.args))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
	}
	s, err := readSettings([]string{"-rows", "score,own"})
	if err != nil || !s.asked("own") || s.asked("bm25") || s.runs != 5 {
		t.Errorf("%+v, %v", s, err)
	}
}

// By hand.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{3, 1, 2}, spread{2, 1, 3}},
		{[]float64{4, 1, 2, 3}, spread{2.5, 1, 4}},
	} {
		if got := spreadOf(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
	for _, c := range []struct {
		ours, theirs []float64
		want         spread
	}{
		{[]float64{1, 2, 3}, []float64{2, 2, 2}, spread{1, 0.5, 1.5}},
		{[]float64{1, 10, 1}, []float64{1, 10, 2}, spread{0.5, 0.5, 1}}, // medians 1 and 2
	} {
		if got := ratioOf(c.ours, c.theirs); got != c.want {
			t.Errorf("%v / %v: %v, want %v", c.ours, c.theirs, got, c.want)
		}
	}
}

// made is a record with one row with a peer and one of ours alone.
func made(ours, theirs, oursMiB, alone float64) *record {
	took := func(seconds, mib float64) *figures { return &figures{Seconds: []float64{seconds}, MiB: []float64{mib}} }
	l := line{Row: "encode", Work: "encode | things", Ours: took(ours, oursMiB), Theirs: took(theirs, 100)}
	l.Theirs.Program, l.Theirs.Variant = "PyTorch", "compiled"
	l.complete()
	return &record{Lines: []line{l}, Own: []own{{Row: "own/page", Work: "page", Less: took(alone/8, 20), All: took(alone, 50)}}}
}

func TestAgainst(t *testing.T) {
	before := made(1, 1, 100, 4)
	for _, c := range []struct {
		name string
		now  *record
		want []string // parts of the named rows
	}{
		{"the same", before, nil},
		{"a slower machine", made(3, 3, 100, 4), nil},
		{"a fifth worse", made(1.2, 1, 120, 4.8), nil},
		{"slower relative to the peer", made(1.3, 1, 100, 4), []string{"encode: time relative to PyTorch was 1 x, is 1.3 x"}},
		{"more memory", made(1, 1, 130, 4), []string{"encode: memory was 100 MiB, is 130 MiB"}},
		{"slower alone", made(1, 1, 100, 5), []string{"own/page: time was 4 s, is 5 s"}},
		{"all of it", made(2, 1, 130, 5), []string{"encode: time", "encode: memory", "own/page: time"}},
	} {
		var out bytes.Buffer
		err := c.now.holdTo(before, &out)
		worse, _ := c.now.worse(before)
		if (err != nil) != (len(c.want) > 0) || len(worse) != len(c.want) {
			t.Errorf("%s: %v, %q", c.name, err, worse)
			continue
		}
		for i, part := range c.want {
			if !strings.Contains(worse[i], part) || !strings.Contains(out.String(), part) {
				t.Errorf("%s: %q, want %q", c.name, worse[i], part)
			}
		}
	}
}

// Rows without a peer are not compared across machines, and rows missing from one record are
// not compared at all; both are reported.
func TestAgainstOthers(t *testing.T) {
	before := made(1, 1, 100, 4)
	elsewhere := made(1, 1, 100, 40)
	elsewhere.Machine.Processor = "another"
	if worse, notes := elsewhere.worse(before); len(worse) > 0 || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "different machines") }) {
		t.Errorf("%q, %q", worse, notes)
	}
	without := made(1, 1, 100, 4)
	without.Lines[0].Ratio = nil
	if worse, notes := without.worse(before); len(worse) > 0 || len(notes) != 1 || !strings.Contains(notes[0], "encode") {
		t.Errorf("%q, %q", worse, notes)
	}
	another := made(3, 1, 100, 4)
	another.Lines[0].Theirs.Program = "PyTorch 1.13"
	if worse, notes := before.worse(another); len(worse) > 0 || len(notes) != 1 || !strings.Contains(notes[0], "the peer was PyTorch 1.13, is PyTorch") {
		t.Errorf("%q, %q", worse, notes)
	}
	small := made(1, 1, 100, 4)
	small.Small = true
	if err := small.holdTo(before, &bytes.Buffer{}); err == nil {
		t.Error("tiny inputs compare with real ones")
	}
}

func TestTables(t *testing.T) {
	r := made(0.5, 1, 150, 4)
	r.Lines = append(r.Lines, line{Row: "score", Work: "score", Ours: &figures{Seconds: []float64{0.013}, MiB: []float64{9.6}}, Why: "no network"})
	r.Lines[0].Goal = 0.4
	var b bytes.Buffer
	if err := r.print(&b); err != nil {
		t.Fatal(err)
	}
	text, err := r.markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.50 [0.50, 0.50]", "13 ms", "not run: no network", "8.0 ×", "2.5 ×", "0.40", "PyTorch, compiled", "encode: 0.50 of the time of PyTorch, compiled, the goal is 0.40"} {
		if !strings.Contains(b.String(), want) || !strings.Contains(text, strings.NewReplacer("_", `\_`, "[", `\[`, "]", `\]`).Replace(want)) {
			t.Errorf("no %q in\n%s\n%s", want, b.String(), text)
		}
	}
}

// Goals belong to rows, and a row at its goal or without a figure misses nothing.
func TestGoals(t *testing.T) {
	rows := map[string]bool{}
	for _, b := range bouts() {
		for _, row := range b.rows {
			rows[row.name] = true
		}
	}
	for row, goal := range goals {
		if !rows[row] || goal <= 0 {
			t.Errorf("%s: goal %g for no row", row, goal)
		}
	}
	for _, c := range []struct {
		ours, goal float64
		small      bool
		want       int
	}{{0.5, 0.5, false, 0}, {0.51, 0.5, false, 1}, {0.51, 0.5, true, 0}, {9, 0, false, 0}} {
		r := made(c.ours, 1, 100, 4)
		r.Lines[0].Goal, r.Small = c.goal, c.small
		if got := r.missed(); len(got) != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		r.Lines[0].Goal, r.Lines[0].Ratio = 0.1, nil
		if got := r.missed(); len(got) > 0 {
			t.Errorf("without a ratio: %q", got)
		}
	}
}

// The fastest side counts, and a row is empty only if all its peers are absent.
func TestFastestCounts(t *testing.T) {
	took := func(seconds float64) []*child {
		return []*child{{answer: answer{Seconds: map[string][]float64{"encode": {seconds}}, Version: "2"}, mib: 1}}
	}
	b := bout{name: "encode", rows: []row{{name: "encode", against: []int{1, 2}, ours: "encode", theirs: "encode"}},
		sides: append([]side{oursBy("encode")}, torchBy("t", "t.py")...)}
	for _, c := range []struct {
		absent        [3]string
		compiled      float64
		want, program string
		beaten        [3]bool
	}{
		{[3]string{}, 1, "", "PyTorch 2, compiled", [3]bool{1: true}},
		{[3]string{}, 1.9, "", "PyTorch 2, compiled", [3]bool{}},
		{[3]string{}, 5, "", "PyTorch 2, eager", [3]bool{2: true}},
		{[3]string{2: "no g++"}, 0, "", "PyTorch 2, eager", [3]bool{}},
		{[3]string{1: "no network", 2: "no g++"}, 0, "no g++", "", [3]bool{}},
	} {
		in := &contest{bout: b, absent: c.absent[:], beaten: make([]bool, 3), turns: [][]*child{took(1), took(2), took(c.compiled)}}
		in.beat(b.rows[0])
		if !slices.Equal(in.beaten, c.beaten[:]) {
			t.Errorf("%+v: %v are beaten", c, in.beaten)
		}
		l := b.linesOf(in.fill, "")[0]
		if l.Why != c.want || (l.Theirs != nil) != (c.program != "") || l.Theirs != nil && l.Theirs.name() != c.program || l.Goal != goals["encode"] {
			t.Errorf("%+v: %+v", c, l)
		}
	}
}

// mvn's output, shortened, without a network, for a version that there is not, and on a full disk.
func TestMavenFault(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		out, want string
		absent    bool
	}{
		{"[ERROR] Plugin could not be resolved: Could not transfer artifact x:pom:3.8.1 from/to central\n[ERROR]\n", "Maven Central cannot be reached: [ERROR] Plugin", true},
		{"[ERROR] Failed to execute goal: Could not find artifact org.apache.lucene:lucene-core:jar:9.99.3\n", "mvn: exit status 1: [ERROR] Failed to execute goal: Could not find", false},
		{"[ERROR] x.jar: No space left on device\n", "no space left on device", false},
	} {
		if err := mavenFault(failed, []byte(c.out)); !strings.HasPrefix(err.Error(), c.want) || errors.As(err, new(pyenv.Absent)) != c.absent {
			t.Errorf("%s: %v, want %s", c.out, err, c.want)
		}
	}
}

// A jar with another hash ends the work, is named and is not kept.
func TestWrongJar(t *testing.T) {
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "lucene")
	script := "#!/bin/sh\necho cut >" + luceneJar(dir, "lucene-analysis-common") + "\n"
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	err := pyenv.Once(t.Context(), "Lucene", dir, func() error { return fetchLucene(t.Context(), io.Discard, dir) })
	if want := "Lucene: lucene-analysis-common: a file from the registry does not have the pinned hash"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is kept: %v", err)
	}
}

// On a machine without a registry, sides that need one are skipped by name, and rows are empty.
func TestAbsentPeers(t *testing.T) {
	testkit.Deep(t)
	t.Setenv(asItself, "1")
	offline(t)
	t.Setenv(pyenv.FolderVariable, t.TempDir())
	var printed bytes.Buffer
	if err := run(t.Context(), &printed, []string{"-small", "-runs", "1", "-rows", "train,abstracts,bm25"}); err != nil {
		t.Fatalf("%v\n%s", err, &printed)
	}
	for _, want := range []string{"train: SKIP: PyTorch eager not run: ", "bm25: SKIP: Lucene not run: ", "bm25: SKIP: bm25s not run: ", "abstracts: SKIP: "} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("no %q in\n%s", want, &printed)
		}
	}
}

// fullRecord returns a record with every row.
func fullRecord() *record {
	r, some := &record{Runs: usualTurns}, made(1, 2, 3, 4)
	for _, b := range bouts() {
		for _, row := range b.rows {
			l := some.Lines[0]
			l.Row = row.name
			r.Lines = append(r.Lines, l)
		}
	}
	for _, w := range ownWorks() {
		o := some.Own[0]
		o.Row = w.name
		r.Own = append(r.Own, o)
	}
	return r
}

func TestPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "performance.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const before = "# before\n" + pageBegin + "old\n" + pageEnd + "after\n"
	write(before)
	for range 2 {
		if err := fullRecord().writePage(path); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := string(text); !strings.HasPrefix(s, "# before\n"+pageBegin) || !strings.HasSuffix(s, pageEnd+"after\n") ||
			strings.Contains(s, "old") || strings.Count(s, "PyTorch") != len(fullRecord().Lines) {
			t.Errorf("%s", s)
		}
	}
	write("no marks\n")
	if err := fullRecord().writePage(path); err == nil {
		t.Error("a file without marks was written")
	}
	write(before)
	for want, change := range map[string]func(*record){
		"tiny inputs":        func(r *record) { r.Small = true },
		"fewer than 5 turns": func(r *record) { r.Runs = 4 },
		"search/faiss (not run)": func(r *record) {
			r.Lines = slices.DeleteFunc(r.Lines, func(l line) bool { return l.Row == "search/faiss" })
		},
		"score (no network)": func(r *record) {
			l := find(r.Lines, func(l line) bool { return l.Row == "score" })
			l.Ratio, l.Why = nil, "no network"
		},
		"own/page (failed)":             func(r *record) { r.Own[0].All, r.Own[0].Why = nil, "failed" },
		"own/help (not run), own/list ": func(r *record) { r.Own = r.Own[:4] },
	} {
		r := fullRecord()
		change(r)
		if err := r.writePage(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != before {
		t.Errorf("a refused page was written: %s, %v", text, err)
	}
}

// If rows for the page are missing, the run is refused before anything is measured.
func TestPageWantsAllRows(t *testing.T) {
	for _, args := range [][]string{{"-rows", "search"}, {"-small"}, {"-runs", "1"}} {
		if _, err := readSettings(append(args, "-page", "performance.md")); err == nil || !strings.Contains(err.Error(), "performance.md only accepts the tables of all rows") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := readSettings([]string{"-page", "performance.md", "-runs", "9"}); err != nil {
		t.Error(err)
	}
}

// docs/performance.md has the marks.
func TestPageHasMarks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, rest, ok := strings.Cut(string(text), pageBegin); !ok || !strings.Contains(rest, pageEnd) {
		t.Error("make peers DOCS=1 has no place to write to")
	}
}

func TestSameRanking(t *testing.T) {
	hits := func(pairs ...any) (all []hit) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, hit{pairs[i].(string), pairs[i+1].(float64)})
		}
		return all
	}
	a := hits("a", 3.0, "b", 2.0, "c", 1.0)
	for _, c := range []struct {
		name string
		b    []hit
		same bool
	}{
		{"equal", a, true},
		{"rounded", hits("a", 3.00001, "b", 2.0, "c", 1.0), true},
		{"another that ties with the last", hits("a", 3.0, "b", 2.0, "d", 1.0), true},
		{"another above the last", hits("a", 3.0, "d", 2.0, "c", 1.0), false},
		{"another score", hits("a", 3.0, "b", 2.1, "c", 1.0), false},
		{"exchanged", hits("b", 3.0, "a", 2.0, "c", 1.0), false},
		{"one less", hits("a", 3.0, "b", 2.0), false},
		{"not a number", hits("a", math.NaN(), "b", 2.0, "c", 1.0), false},
	} {
		if err := sameRanking(a, c.b, 1e-4); (err == nil) != c.same {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestCloseValues(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		a, b []float32
		same bool
	}{
		{[]float32{1, 2}, []float32{1, 2.00001}, true},
		{[]float32{1, 2}, []float32{1, 2.1}, false},
		{[]float32{1, 2}, []float32{1}, false},
		{nil, nil, false},
		{[]float32{nan}, []float32{nan}, false},
		{[]float32{0}, []float32{0}, false},
	} {
		if err := closeValues(c.a, c.b, 1e-4); (err == nil) != c.same {
			t.Errorf("%v, %v: %v", c.a, c.b, err)
		}
	}
}

// A side that computes something else causes an error, and has no figure.
func TestFailedCheck(t *testing.T) {
	dir := t.TempDir()
	j := &job{Dir: dir, Timed: 1, Threads: 1}
	for name, losses := range map[string][]float64{"ours": {1, 0.5}, "theirs": {1, 0.6}, "near": {1, 0.5001}} {
		if err := writeJSON(j.path(name+".json"), losses); err != nil {
			t.Fatal(err)
		}
	}
	printing := func(name string) side {
		return side{name: name, argv: func(*kit, string) []string {
			text, _ := json.Marshal(answer{Seconds: map[string][]float64{"step": {1}}})
			return []string{"echo", answerPrefix + string(text)}
		}}
	}
	for other, ok := range map[string]bool{"theirs": false, "near": true} {
		c := &contest{
			bout:     bout{name: "b", sides: []side{printing("ours"), printing(other)}, check: sameLosses},
			settings: &settings{runs: 3, threads: 1}, kit: &kit{settings: &settings{}, stdout: &bytes.Buffer{}},
			job: j, absent: make([]string, 2), beaten: make([]bool, 2), turns: make([][]*child, 2),
		}
		err := c.run(context.Background())
		if (err == nil) != ok || len(c.turns[0]) != map[bool]int{true: 3, false: 1}[ok] {
			t.Errorf("%s: %v after %d turns", other, err, len(c.turns[0]))
		}
	}
}
