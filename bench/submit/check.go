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

// checked is a submission during its check.
type checked struct {
	place       place
	contents    contents
	declaration *declaration
	lines       map[string]int // line of each key in submission.yaml
	benches     map[string]*bench
	faults      *faultList
	notes       []string
	runs        map[taskName]*ranked
	claims      map[taskName][]claim
	sums        map[string]string // SHA-256 by name

	replacedBy string // revision that replaces it
}

// taskName names a task of a benchmark.
type taskName struct{ benchmark, task string }

func (t taskName) String() string { return t.benchmark + "/" + t.task }

// ranked is a task with its ranking and the computed results.
type ranked struct {
	file    string
	seed    string // "" if the system has rankings of one training
	run     trec.Run
	results []results.Result
	lacking []string
	others  []*ranked // of the other seeds
}

// seeds are the rankings of a task by all trainings; none for nil.
func (r *ranked) seeds() []*ranked {
	if r == nil {
		return nil
	}
	return append([]*ranked{r}, r.others...)
}

// checker checks submissions against one board.
type checker struct {
	now     time.Time
	known   []string // names of benchmarks
	benches benches
}

// check checks one submission.
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
	s.checkFiles()
	k.loadFor(s)
	s.readRuns()
	s.checkSeeds()
	s.readClaims()
	s.compare()
	s.cover()
	return s, errors.Join(s.faults.failed...)
}

// declare reads submission.yaml and reports whether the rest can be checked against it.
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
	s.declaration, s.lines, err = parseDeclaration(DeclarationFile, data, k.known, k.now)
	s.faults.addStrict(DeclarationFile, err)
	if s.declaration == nil {
		return false
	}
	if s.declaration.System != "" && folderOf(s.declaration.System) != s.place.org {
		s.faults.add(DeclarationFile, s.lines["system"], "system %s is in the folder %s instead of %s", shortened(s.declaration.System), shortened(s.place.org), shortened(folderOf(s.declaration.System)))
	}
	if s.declaration.Revision != "" && s.declaration.Revision != s.place.folder {
		s.faults.add(DeclarationFile, s.lines["revision"], "revision %s is in the folder %s", shortened(s.declaration.Revision), shortened(s.place.folder))
	}
	return true
}

// checkFiles compares the files with the list in submission.yaml, if there is one: a
// handwritten submission.yaml needs none. Rankings may be left out; their numbers then count as
// claimed.
func (s *checked) checkFiles() {
	if len(s.declaration.Files) == 0 {
		return
	}
	left := maps.Clone(s.sums)
	delete(left, DeclarationFile)
	for _, f := range s.declaration.Files {
		sum, there := left[f.Name]
		switch {
		case !there && path.Base(path.Dir(f.Name)) != results.RunsDir:
			s.faults.add(f.Name, 0, "is missing, but %s names it", DeclarationFile)
		case there && sum != f.SHA256:
			s.faults.add(f.Name, 0, "has changed since it was declared: its SHA-256 is %s, but %s has %s", sum, DeclarationFile, shortened(f.SHA256))
		}
		delete(left, f.Name)
	}
	for _, name := range sortedKeys(left) {
		s.faults.add(name, 0, "is not among the files of %s", DeclarationFile)
	}
}

// declared finds a benchmark of submission.yaml by its name; nil if it has none of that name.
func (s *checked) declared(name string) *declaredBench {
	for i := range s.declaration.Benchmarks {
		if s.declaration.Benchmarks[i].Name == name {
			return &s.declaration.Benchmarks[i]
		}
	}
	return nil
}

// loadFor loads the benchmarks of a submission and compares their revisions with the declared
// ones. A benchmark that is not available is an error only if there are rankings for it.
func (k *checker) loadFor(s *checked) {
	for _, d := range s.declaration.Benchmarks {
		if !slices.Contains(k.known, d.Name) {
			continue // reported with submission.yaml
		}
		b, err := k.benches.find(d.Name)
		switch {
		case err != nil && s.hasRuns(d.Name):
			s.faults.fail(fmt.Errorf("%s: its rankings cannot be scored: %w", s.place.dir, err))
		case err != nil:
			s.notes = append(s.notes, fmt.Sprintf("coverage and names were not checked: %v", err))
		case d.Revision != b.Revision && d.Revision != "":
			s.faults.add(DeclarationFile, s.lines["benchmarks"], "%s has revision %s, but the board has %s: numbers from other data cannot be compared", d.Name, shortened(d.Revision), shortened(b.Revision))
		default:
			s.benches[d.Name] = b
		}
	}
}

// hasRuns reports whether there is a file of rankings for a benchmark.
func (s *checked) hasRuns(benchmark string) bool {
	for _, name := range s.contents.rankings() {
		if strings.HasPrefix(path.Base(name), results.FileName(benchmark)+".") {
			return true
		}
	}
	return false
}

// readRuns reads and scores the rankings.
func (s *checked) readRuns() {
	for seed, name := range s.contents.rankings() {
		at, t := s.taskOf(name)
		if t == nil {
			continue
		}
		before := s.runs[at].seeds()
		if i := slices.IndexFunc(before, func(r *ranked) bool { return r.seed == seed }); i >= 0 {
			s.faults.add(name, 0, "and %s are both rankings of %s", before[i].file, at)
			continue
		}
		r := ranking{name: name, task: t, depth: s.depth(), faults: s.faults}
		run := r.read(&s.contents)
		one := &ranked{file: name, seed: seed, run: run}
		if len(before) == 0 {
			s.runs[at] = one
		} else {
			before[0].others = append(before[0].others, one)
		}
		if run == nil {
			continue
		}
		one.lacking = r.lacking()
		s.notes = append(s.notes, r.notes()...)
		scored, err := results.Score(at.benchmark, t, run)
		if err != nil {
			s.faults.fail(err)
		}
		one.results = scored
	}
}

// seeds are the seeds of all rankings, in order.
func (s *checked) seeds() (out []string) {
	for seed := range s.contents.rankings() {
		out = words.AddNew(out, seed)
	}
	return out
}

// checkSeeds reports tasks that only some of the seeds rank, and seeds with the same rankings,
// which show nothing about the variation between trainings.
func (s *checked) checkSeeds() {
	seeds := s.seeds()
	if len(seeds) > 1 && slices.Contains(seeds, "") {
		s.faults.add(results.RunsDir, 0, "there are rankings in %s, too: give every training a folder of its own", path.Join(folderOfSeed(seeds[1]), results.RunsDir))
		return
	}
	for _, at := range slices.SortedFunc(maps.Keys(s.runs), byName) {
		have := s.runs[at].seeds()
		for _, seed := range seeds {
			if !slices.ContainsFunc(have, func(r *ranked) bool { return r.seed == seed }) {
				s.faults.add(path.Join(folderOfSeed(seed), results.RunsDir), 0, "has no rankings of %s, but %s has", at, have[0].file)
			}
		}
		for i, one := range have {
			for _, two := range have[:i] {
				if same, of := sameRankings(one.run, two.run); of > 0 && same == of {
					s.notes = append(s.notes, fmt.Sprintf("%s: its rankings are those of %s: they show nothing about another training", one.file, two.file))
				}
			}
		}
	}
}

// folderOfSeed is the folder of a seed's rankings in a submission.
func folderOfSeed(seed string) string {
	if seed == "" {
		return ""
	}
	return seedPrefix + seed
}

// depth is the maximum depth of a ranking.
func (s *checked) depth() int {
	if depth := s.declaration.Conventions.Depth; checkDepth(depth) == nil {
		return depth
	}
	return maxDepth // reported with submission.yaml
}

// taskOf finds the task of a file of rankings by its name.
func (s *checked) taskOf(name string) (taskName, *datasets.Task) {
	file := strings.TrimSuffix(path.Base(name), ".gz")
	file = strings.TrimSuffix(file, ".trec")
	var known []string
	for _, d := range s.declaration.Benchmarks {
		b := s.benches[d.Name]
		if b == nil {
			if strings.HasPrefix(file, results.FileName(d.Name)+".") {
				return taskName{}, nil // reported by loadFor
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

// readClaims reads all scores, checks the form of each, and groups them by task.
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
		id := key{c.Benchmark, c.Task, string(c.Side), c.Measure, c.Query}
		if other, ok := seen[id]; ok {
			s.faults.add(c.file, c.line, "%s is already in %s", c.at(), position(other))
			continue
		}
		seen[id] = c
		at := taskName{c.Benchmark, c.Task}
		s.claims[at] = append(s.claims[at], c)
	}
}

// position is the file and line of a claim.
func position(c claim) string {
	if c.line == 0 {
		return c.file
	}
	return fmt.Sprintf("%s:%d", c.file, c.line)
}

// rounding is the maximum difference between a claim and the value from its ranking: half of
// the fourth decimal, which is the last that trec_eval prints and the second of values times
// 100.
const rounding = .00005 + 1e-9

// compare compares claims with the rankings of the same task.
func (s *checked) compare() {
	for _, at := range slices.SortedFunc(maps.Keys(s.claims), byName) {
		have := s.runs[at].seeds()
		if len(have) == 0 || slices.ContainsFunc(have, func(r *ranked) bool { return r.run == nil }) {
			continue
		}
		var all []map[scoring]*float64
		for _, r := range have {
			all = append(all, s.computed(at, r))
		}
		computed := meanOverSeeds(all)
		for _, c := range s.claims[at] {
			ours, ok := computed[scoring{c.Side, c.Measure, c.Query}]
			switch {
			case !ok:
				s.notes = append(s.notes, fmt.Sprintf("%s: %s was not computed here, so it was not compared", position(c), c.at()))
			case (ours == nil) != (c.Value == nil) || ours != nil && math.Abs(*ours-*c.Value) > rounding:
				s.faults.add(c.file, c.line, "%s: claimed %s, the rankings give %s", c.at(), digits(c.Value), digits(ours))
			}
		}
	}
}

// meanOverSeeds averages the values of several trainings; a value that one of them lacks is nil.
func meanOverSeeds(all []map[scoring]*float64) map[scoring]*float64 {
	if len(all) == 1 {
		return all[0]
	}
	out := map[scoring]*float64{}
	for column := range all[0] {
		sum, complete := 0.0, true
		for _, one := range all {
			if v := one[column]; v == nil {
				complete = false
			} else {
				sum += *v
			}
		}
		if out[column] = nil; complete {
			mean := sum / float64(len(all))
			out[column] = &mean
		}
	}
	return out
}

// scoring identifies a value of a task.
type scoring struct {
	side    datasets.Side
	measure string
	query   string // "": the mean
}

// computed are all values from the ranking of a task, for its own measures and for claimed
// ones, and their means.
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
	return valuesOf(append(slices.Clone(all), added...))
}

// valuesOf returns values by scoring, with their means over queries.
func valuesOf(all []results.Result) map[scoring]*float64 {
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

// isComputable reports whether a measure that a task does not have can be computed from its
// rankings alone. The original order of equal scores is not kept.
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

// digits formats a value with one decimal more than are compared.
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

// means are the claims of a task, averaged over queries, for the measures that the board shows.
func (s *checked) means(at taskName) (out []results.Result) {
	by := map[scoring][]results.Result{}
	var order []scoring
	for _, c := range s.claims[at] {
		column := scoring{side: c.Side, measure: c.Measure}
		if by[column] == nil {
			order = append(order, column)
		}
		by[column] = append(by[column], c.Result)
	}
	for _, column := range order {
		mean, n := results.Mean(by[column])
		if n == 0 || !s.shown(at, column) {
			continue
		}
		out = append(out, results.Result{Benchmark: at.benchmark, Task: at.task, Side: column.side, Measure: column.measure, Value: &mean, Aggregate: true})
	}
	return out
}

// shown reports whether a board has a column for a claim: a measure of its own, or p-MRR with
// another order of ties, which has a separate column.
func (s *checked) shown(at taskName, column scoring) bool {
	b := s.benches[at.benchmark]
	if b == nil {
		return true // unknown here
	}
	t := b.task(at.task)
	return t != nil && (scores(t, column.side, column.measure) || metrics.IsShift(column.measure) && column.side == datasets.None)
}

// systems converts a submission for a board: each training of the system is one run of it.
func (s *checked) systems() (out []adoptedSystem) {
	seeds := s.seeds()
	if len(seeds) == 0 {
		seeds = []string{""}
	}
	for _, seed := range seeds {
		out = append(out, s.system(seed))
	}
	return out
}

// system converts one training of the system.
func (s *checked) system(seed string) adoptedSystem {
	out := adoptedSystem{Seed: seed, Model: s.declaration.System, Revision: s.declaration.Revision, Files: s.sums, Revisions: map[string]string{}, Submission: s.declaration.submission(s.sums[DeclarationFile])}
	for _, d := range s.declaration.Benchmarks {
		out.Revisions[d.Name] = d.Revision
	}
	for _, at := range s.tasks() {
		have := s.runs[at].seeds()
		if i := slices.IndexFunc(have, func(r *ranked) bool { return r.seed == seed }); i >= 0 {
			r := have[i]
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

// formatOf names the format of claims by their file name.
func formatOf(file string) string {
	if file == results.ScoresFile {
		return "infbench"
	}
	return "mteb"
}

// tasks are the tasks for which a submission has rankings or scores, in the order of the
// benchmarks.
func (s *checked) tasks() (out []taskName) {
	for _, d := range s.declaration.Benchmarks {
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
