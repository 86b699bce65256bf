package submit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners/results"
)

// checked is one submission while it is looked at.
type checked struct {
	place    place
	contents contents
	said     *declaration
	lines    map[string]int // of submission.yaml, by key
	benches  map[string]*bench
	faults   *faultList
	notes    []string
	runs     map[taskName]*ranked
	claims   map[taskName][]claim
	sums     map[string]string // SHA-256 by name

	replacedBy string // revision
}

// taskName names a task of a benchmark.
type taskName struct{ benchmark, task string }

func (t taskName) String() string { return t.benchmark + "/" + t.task }

// ranked is a task with its ranking and what that gives.
type ranked struct {
	file    string
	run     trec.Run
	results []results.Result
	lacking []string
}

// checker holds submissions to one board.
type checker struct {
	now     time.Time
	known   []string // benchmarks
	benches benches
}

// check looks at one submission.
func (k *checker) check(at place) (*checked, error) {
	s := &checked{place: at, faults: newFaults(at.dir), benches: map[string]*bench{}, runs: map[taskName]*ranked{}, claims: map[taskName][]claim{}}
	root, err := os.OpenRoot(at.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s.contents.root = root
	if err := s.contents.list(s.faults); err != nil {
		return nil, fmt.Errorf("%s: %w", at.dir, err)
	}
	if s.sums, err = s.contents.sums(); err != nil {
		return nil, fmt.Errorf("%s: %w", at.dir, err)
	}
	if !s.declare(k) {
		return s, nil
	}
	s.hold()
	k.loadFor(s)
	s.readRuns()
	s.readClaims()
	s.compare()
	s.cover()
	return s, errors.Join(s.faults.failed...)
}

// declare reads submission.yaml, and says whether the rest can be held to it.
func (s *checked) declare(k *checker) bool {
	if _, ok := s.contents.files[DeclarationFile]; !ok {
		s.faults.add(DeclarationFile, 0, "is missing; infbench submit new writes it")
		return false
	}
	data, err := s.contents.read(DeclarationFile)
	if err != nil {
		s.faults.fail(err)
		return false
	}
	s.said, s.lines, err = parseDeclaration(DeclarationFile, data, k.known, k.now)
	s.faults.addStrict(DeclarationFile, err)
	if s.said == nil {
		return false
	}
	if s.said.System != "" && folderOf(s.said.System) != s.place.org {
		s.faults.add(DeclarationFile, s.lines["system"], "system %s lies in the folder %s and not in %s", shortened(s.said.System), shortened(s.place.org), shortened(folderOf(s.said.System)))
	}
	if s.said.Revision != "" && s.said.Revision != s.place.folder {
		s.faults.add(DeclarationFile, s.lines["revision"], "revision %s lies in the folder %s", shortened(s.said.Revision), shortened(s.place.folder))
	}
	return true
}

// hold holds the files to those of submission.yaml, where it names any: one made by hand
// need not, and rankings may be left out, whose numbers then stand as claimed.
func (s *checked) hold() {
	if len(s.said.Files) == 0 {
		return
	}
	left := maps.Clone(s.sums)
	delete(left, DeclarationFile)
	for _, f := range s.said.Files {
		sum, there := left[f.Name]
		switch {
		case !there && path.Dir(f.Name) != results.RunsDir:
			s.faults.add(f.Name, 0, "is missing, and %s names it", DeclarationFile)
		case there && sum != f.SHA256:
			s.faults.add(f.Name, 0, "was changed since it was declared: its SHA-256 is %s, and in %s %s", sum, DeclarationFile, shortened(f.SHA256))
		}
		delete(left, f.Name)
	}
	for _, name := range sortedKeys(left) {
		s.faults.add(name, 0, "is not among the files of %s", DeclarationFile)
	}
}

// declared finds a benchmark among those of submission.yaml; nil where it is none.
func (s *checked) declared(name string) *declaredBench {
	for i := range s.said.Benchmarks {
		if s.said.Benchmarks[i].Name == name {
			return &s.said.Benchmarks[i]
		}
	}
	return nil
}

// loadFor loads the benchmarks of a submission and holds them to the revisions that it
// declares. What is not at hand is only asked for where there are rankings of it.
func (k *checker) loadFor(s *checked) {
	for _, d := range s.said.Benchmarks {
		if !slices.Contains(k.known, d.Name) {
			continue // said where it stands
		}
		b, err := k.benches.find(d.Name)
		switch {
		case err != nil && s.hasRuns(d.Name):
			s.faults.fail(fmt.Errorf("%s: its rankings cannot be scored: %w", s.place.dir, err))
		case err != nil:
			s.notes = append(s.notes, fmt.Sprintf("neither coverage nor names were checked: %v", err))
		case d.Revision != b.Revision && d.Revision != "":
			s.faults.add(DeclarationFile, s.lines["benchmarks"], "%s is of revision %s; the board has %s, and numbers of other data do not stand beside its own", d.Name, shortened(d.Revision), shortened(b.Revision))
		default:
			s.benches[d.Name] = b
		}
	}
}

// hasRuns says whether there is a file of rankings of a benchmark.
func (s *checked) hasRuns(benchmark string) bool {
	for name := range s.contents.below(results.RunsDir) {
		if strings.HasPrefix(name, results.RunsDir+"/"+results.FileName(benchmark)+".") {
			return true
		}
	}
	return false
}

// readRuns reads and scores the rankings.
func (s *checked) readRuns() {
	for name := range s.contents.below(results.RunsDir) {
		at, t := s.taskOf(name)
		if t == nil {
			continue
		}
		if other := s.runs[at]; other != nil {
			s.faults.add(name, 0, "and %s are both of %s", other.file, at)
			continue
		}
		r := ranking{name: name, task: t, depth: s.depth(), faults: s.faults}
		run := r.read(&s.contents)
		if s.runs[at] = (&ranked{file: name, run: run}); run == nil {
			continue
		}
		s.runs[at].lacking = r.lacking()
		s.notes = append(s.notes, r.notes()...)
		scored, err := results.Score(at.benchmark, t, run)
		if err != nil {
			s.faults.fail(err)
		}
		s.runs[at].results = scored
	}
}

// depth is the deepest that a ranking may be.
func (s *checked) depth() int {
	if depth := s.said.Conventions.Depth; checkDepth(depth) == nil {
		return depth
	}
	return maxDepth // said where it stands
}

// taskOf finds the task of a file of rankings by its name.
func (s *checked) taskOf(name string) (taskName, *datasets.Task) {
	file := strings.TrimSuffix(strings.TrimPrefix(name, results.RunsDir+"/"), ".gz")
	file = strings.TrimSuffix(file, ".trec")
	var known []string
	for _, d := range s.said.Benchmarks {
		b := s.benches[d.Name]
		if b == nil {
			if strings.HasPrefix(file, results.FileName(d.Name)+".") {
				return taskName{}, nil // said where it was looked for
			}
			continue
		}
		if t := b.taskOf(file); t != nil {
			return taskName{b.Name, t.Name}, t
		}
		for i := range b.Tasks {
			known = append(known, results.TaskFile(b.Name, b.Tasks[i].Name))
		}
	}
	s.faults.add(name, 0, "%v", nearest.Unknown("name of a task's rankings", file, known))
	return taskName{}, nil
}

// readClaims reads all scores, holds each to its form, and files them by task.
func (s *checked) readClaims() {
	var all []claim
	if _, ok := s.contents.files[results.ScoresFile]; ok {
		all = readClaims(&s.contents, s.faults)
	}
	for name := range s.contents.below(claimsDir) {
		all = append(all, s.readMTEB(name)...)
	}
	type key struct{ benchmark, task, side, measure, query string }
	seen := map[key]claim{}
	for _, c := range all {
		if err := s.checkClaim(c); err != nil {
			s.faults.add(c.file, c.line, "%v", err)
			continue
		}
		is := key{c.Benchmark, c.Task, string(c.Side), c.Measure, c.Query}
		if other, ok := seen[is]; ok {
			s.faults.add(c.file, c.line, "%s stands in %s already", c.at(), position(other))
			continue
		}
		seen[is] = c
		at := taskName{c.Benchmark, c.Task}
		s.claims[at] = append(s.claims[at], c)
	}
}

// position is where a claim stands.
func position(c claim) string {
	if c.line == 0 {
		return c.file
	}
	return fmt.Sprintf("%s:%d", c.file, c.line)
}

// rounding is how far a claim may lie from what its ranking gives: half of the fourth
// decimal, which is the last that trec_eval prints, and two decimals times 100.
const rounding = .00005 + 1e-9

// compare holds claims to the rankings beside them.
func (s *checked) compare() {
	for _, at := range slices.SortedFunc(maps.Keys(s.claims), byName) {
		r := s.runs[at]
		if r == nil || r.run == nil {
			continue
		}
		computed := s.computed(at, r)
		for _, c := range s.claims[at] {
			ours, ok := computed[scoring{c.Side, c.Measure, c.Query}]
			switch {
			case !ok:
				s.notes = append(s.notes, fmt.Sprintf("%s: %s was not computed here and is not compared", position(c), c.at()))
			case (ours == nil) != (c.Value == nil) || ours != nil && math.Abs(*ours-*c.Value) > rounding:
				s.faults.add(c.file, c.line, "%s: claimed %s, the rankings give %s", c.at(), digits(c.Value), digits(ours))
			}
		}
	}
}

// scoring is a value of a task.
type scoring struct {
	side    datasets.Side
	measure string
	query   string // "": the mean
}

// computed are all values that the ranking of a task gives, of its own measures and of
// those that are claimed, and their means.
func (s *checked) computed(at taskName, r *ranked) map[scoring]*float64 {
	all := r.results
	task := *s.benches[at.benchmark].task(at.task)
	var more []datasets.Scoring
	for _, c := range s.claims[at] {
		if one := (datasets.Scoring{Measure: c.Measure, Side: c.Side}); !scores(&task, c.Side, c.Measure) && !slices.Contains(more, one) && isComputable(c.Measure, &task) {
			more = append(more, one)
		}
	}
	task.Scorings = more
	added, err := results.Score(at.benchmark, &task, r.run)
	if err != nil {
		s.faults.fail(err)
	}
	all = append(slices.Clone(all), added...)
	out := map[scoring]*float64{}
	for _, values := range results.ByScoring(all) {
		for _, v := range values {
			out[scoring{v.Side, v.Measure, v.Query}] = v.Value
		}
		if mean, n := results.Mean(values); n > 0 {
			out[scoring{values[0].Side, values[0].Measure, ""}] = &mean
		}
	}
	return out
}

// isComputable says whether a measure that a task does not ask for can be computed from
// its rankings alone: the order in which equal scores came is not kept.
func isComputable(measure string, t *datasets.Task) bool {
	m, err := metrics.Parse(measure)
	if err != nil {
		return false
	}
	if p, ok := m.(metrics.PMRR); ok && p.Insertion {
		return false
	}
	return metrics.NeedsRun(m) && (!metrics.NeedsPairs(m) || len(t.Pairs) > 0)
}

// digits prints a value with the decimals that are compared, and one more.
func digits(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return words.Fixed(*v, 5)
}

// byName orders tasks by their names.
func byName(a, b taskName) int {
	return cmp.Or(strings.Compare(a.benchmark, b.benchmark), strings.Compare(a.task, b.task))
}

// means are the claims of a task as means without queries, of the measures that the board
// shows; others are said.
func (s *checked) means(at taskName) (out []results.Result) {
	by := map[scoring][]results.Result{}
	var order []scoring
	for _, c := range s.claims[at] {
		is := scoring{side: c.Side, measure: c.Measure}
		if by[is] == nil {
			order = append(order, is)
		}
		by[is] = append(by[is], c.Result)
	}
	for _, is := range order {
		mean, n := results.Mean(by[is])
		if n == 0 || !s.shown(at, is) {
			continue
		}
		out = append(out, results.Result{Benchmark: at.benchmark, Task: at.task, Side: is.side, Measure: is.measure, Value: &mean, Aggregate: true})
	}
	return out
}

// shown says whether a board has a column for a claim: a measure of its own, or p-MRR by
// another order of ties, which has one of its own.
func (s *checked) shown(at taskName, is scoring) bool {
	b := s.benches[at.benchmark]
	if b == nil {
		return true // nothing is known of it here
	}
	t := b.task(at.task)
	return t != nil && (scores(t, is.side, is.measure) || metrics.IsShift(is.measure) && is.side == datasets.None)
}

// system is what a board takes of a submission.
func (s *checked) system() adoptedSystem {
	out := adoptedSystem{Model: s.said.System, Revision: s.said.Revision, Files: s.sums, Revisions: map[string]string{}, Submission: s.said.submission(s.sums[DeclarationFile])}
	for _, d := range s.said.Benchmarks {
		out.Revisions[d.Name] = d.Revision
	}
	for _, at := range s.tasks() {
		r := s.runs[at]
		if r != nil {
			out.Tasks = append(out.Tasks, adoptedTask{Benchmark: at.benchmark, Task: at.task, Judge: s.benches[at.benchmark].task(at.task), Run: r.run, Results: r.results})
			out.Formats = words.AddNew(out.Formats, "trec")
			continue
		}
		if means := s.means(at); len(means) > 0 {
			out.Tasks = append(out.Tasks, adoptedTask{Benchmark: at.benchmark, Task: at.task, Results: means})
			out.Formats = words.AddNew(out.Formats, formatOf(s.claims[at][0].file))
		}
	}
	return out
}

// formatOf names the format of claims by their file.
func formatOf(file string) string {
	if file == results.ScoresFile {
		return "infbench"
	}
	return "mteb"
}

// tasks are those that a submission has anything of, in the order of the benchmarks.
func (s *checked) tasks() (out []taskName) {
	for _, d := range s.said.Benchmarks {
		if b := s.benches[d.Name]; b != nil {
			for _, name := range b.taskNames() {
				if at := (taskName{d.Name, name}); s.runs[at] != nil || s.claims[at] != nil {
					out = append(out, at)
				}
			}
			continue
		}
		for _, at := range slices.SortedFunc(maps.Keys(s.claims), byName) {
			if at.benchmark == d.Name {
				out = append(out, at)
			}
		}
	}
	return out
}
