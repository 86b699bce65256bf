package active

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics/adaptive"
	"infbench/reports/claims"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// Sweep is an active sweep of a run folder.
type Sweep struct {
	folder   runs.Folder
	plan     *spec.Plan
	log      *runs.Active
	claims   *claims.File
	deciding *Deciding // nil before the first results
	numbers  []scores.Number
	left     []string // claims that are not decided, and why
}

// Open is an active sweep of a plan that Begin begins, or the one that the folder has. What
// is zero in the settings is as it began, or by default. It writes nothing: whatever is
// refused leaves the folder as it is.
func Open(folder runs.Folder, plan *spec.Plan, asked results.ActiveSettings) (*Sweep, error) {
	log, err := folder.Rounds().Read()
	if err != nil {
		return nil, err
	}
	asked.Plan, asked.Budget = planHash(plan), min(asked.Budget, len(plan.Trials))
	switch {
	case log != nil:
		if err := hold(log.ActiveSettings, asked); err != nil {
			return nil, fmt.Errorf("%s: %w", folder.Rounds().Path(), err)
		}
		if line, err := holdToPlan(log, plan); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", folder.Rounds().Path(), line, err)
		}
	case asked.Text == "":
		return nil, usage.Errorf("--active wants --claims FILE: what is to be decided is stated before the first cell")
	default:
		settings := complete(asked, len(plan.Trials))
		if err := enough(settings, len(plan.Trials)); err != nil {
			return nil, err
		}
		log = &runs.Active{ActiveLog: results.ActiveLog{ActiveSettings: settings}}
	}
	file, err := claims.Parse(log.Claims, []byte(log.Text))
	if err != nil {
		return nil, err
	}
	s := &Sweep{folder: folder, plan: plan, log: log, claims: file}
	if len(log.Rounds) == 0 {
		return s, s.askable()
	}
	return s, nil
}

// Begin writes down what is to be decided, and the first round, unless that was done, by
// another process at this moment perhaps.
func (s *Sweep) Begin() error {
	if len(s.log.Rounds) > 0 {
		return nil
	}
	settings, err := s.after()
	if err != nil {
		return err
	}
	log, err := s.folder.Rounds().Begin(settings)
	if err != nil {
		return err
	}
	if err := hold(log.ActiveSettings, s.log.ActiveSettings); err != nil {
		return fmt.Errorf("%s: %w", s.folder.Rounds().Path(), err)
	}
	if s.log = log; len(log.Rounds) > 0 {
		return nil
	}
	return s.folder.Rounds().Add(log, s.drawn())
}

// after is what is stated, with how many cells were finished before. They are run as others
// are, when they are chosen: what a cell gives does not depend on when it ran, and to look at
// all that are there would be to look at cells that nobody drew. Where all are done there is
// nothing to choose.
func (s *Sweep) after() (results.ActiveSettings, error) {
	out := s.log.ActiveSettings
	for i := range s.plan.Trials {
		done, err := s.folder.Trial(s.plan.Trials[i].ID).Marker().Exists()
		if err != nil {
			return out, err
		}
		if done {
			out.Before++
		}
	}
	if all := len(s.plan.Trials); out.Before == all {
		return out, usage.Errorf("all %d cells of %s are finished: nothing is left to choose; infbench claims %s %s judges them all", all, s.folder.Dir, s.log.Claims, s.folder.Dir)
	}
	return out, nil
}

// askable refuses claims of which the planned systems can decide none, before a cell is run
// for them. Which measures there are is not known before the first results.
func (s *Sweep) askable() error {
	planned := &results.Experiment{Name: s.plan.Name}
	for i := range s.plan.Trials {
		t := &s.plan.Trials[i]
		planned.Trials = append(planned.Trials, results.Trial{ID: t.ID, Config: runs.Config(t)})
	}
	set, err := scores.New([]*results.Experiment{planned})
	if err != nil {
		return err
	}
	var left []string
	for _, c := range s.claims.Claims {
		why := c.Unplanned(set.Systems)
		if why == "" {
			return nil
		}
		left = append(left, c.ID+": "+why)
	}
	return s.undecided(left)
}

// undecided is the error of claims that ask nothing of the experiment.
func (s *Sweep) undecided(left []string) error {
	return usage.Errorf("no claim of %s can be decided by this experiment: %s", s.log.Claims, strings.Join(left, "; "))
}

// Defaults of an active sweep.
const (
	defaultAlpha  = 0.05
	defaultBudget = 0.4 // of all cells
	startShare    = 0.1 // of all cells: fewer tell neither how runs vary nor how systems do
	leastStart    = 8
)

// complete fills in what was not asked for.
func complete(s results.ActiveSettings, cells int) results.ActiveSettings {
	s.Alpha = cmp.Or(s.Alpha, defaultAlpha)
	s.Budget = min(cells, cmp.Or(s.Budget, max(1, int(defaultBudget*float64(cells)))))
	s.Start = cmp.Or(s.Start, max(leastStart, int(math.Ceil(startShare*float64(cells)))))
	s.Round = cmp.Or(s.Round, 1)
	s.Seed = cmp.Or(s.Seed, 1)
	return s
}

// enough refuses a budget that the first draw would pass.
func enough(s results.ActiveSettings, cells int) error {
	switch {
	case cells <= s.Start:
		return usage.Errorf("%s are too few to choose among: the first draw alone is of %d; leave out --active", words.Plural(cells, "cell", "cells"), s.Start)
	case s.Budget < s.Start:
		return usage.Errorf("--cells (by default %g%% of all): %d of %d cells are fewer than the first draw, which is of %d (a tenth of all, and %d at least): fewer tell neither how runs vary nor how systems do", 100*defaultBudget, s.Budget, cells, s.Start, leastStart)
	}
	return nil
}

// hold refuses settings other than those that a sweep began with.
func hold(began, asked results.ActiveSettings) error {
	if began.Plan != asked.Plan {
		return errors.New("the plan has other cells than when this active sweep began; take another name, or finish it without --active")
	}
	for _, c := range []struct {
		name          string
		differs       bool
		began, wanted any
	}{
		{"--claims", asked.Text != "" && asked.Text != began.Text, began.Claims, asked.Claims + " with another text"},
		{"--alpha", asked.Alpha != 0 && asked.Alpha != began.Alpha, began.Alpha, asked.Alpha},
		{"--cells", asked.Budget != 0 && asked.Budget != began.Budget, began.Budget, asked.Budget},
		{"--start", asked.Seed != 0 && asked.Seed != began.Seed, began.Seed, asked.Seed},
	} {
		if c.differs {
			return usage.Errorf("this active sweep began with %s %v, found %v: what is decided, and how surely, is stated before the first cell", c.name, c.began, c.wanted)
		}
	}
	return nil
}

// holdToPlan refuses what a log says of cells that the plan lacks, and says in which line:
// nothing holds the last line to its hash.
func holdToPlan(log *runs.Active, plan *spec.Plan) (line int, err error) {
	if all := len(plan.Trials); log.Start < 1 || log.Start > all {
		return 1, fmt.Errorf("a first round of %d cells, of %d that are planned", log.Start, all)
	}
	for i, r := range log.Rounds {
		for _, c := range r.Cells {
			if _, planned := plan.Trial(c.ID); !planned {
				return i + 2, fmt.Errorf("round %d chose trial %s, which is not planned", r.Round, c.ID)
			}
		}
	}
	return 0, nil
}

// planHash is one of the cells that there are.
func planHash(plan *spec.Plan) string {
	var ids []string
	for i := range plan.Trials {
		ids = append(ids, plan.Trials[i].ID)
	}
	slices.Sort(ids)
	return disk.Sum(strings.Join(ids, "\n"))
}

// drawn is the first round.
func (s *Sweep) drawn() results.ActiveRound {
	r := results.ActiveRound{Round: 1}
	var systems []int
	known := map[string]int{}
	for i := range s.plan.Trials {
		system := withoutSeed(s.plan.Trials[i].Cell.Settings())
		if _, there := known[system]; !there {
			known[system] = len(known)
		}
		systems = append(systems, known[system])
	}
	for _, i := range Order(systems, s.log.Seed)[:s.log.Start] {
		r.Cells = append(r.Cells, results.ActiveCell{ID: s.plan.Trials[i].ID, Why: "drawn for the start"})
	}
	return r
}

// withoutSeed is a text for what runs of a system share.
func withoutSeed(settings map[string]string) string {
	delete(settings, results.Seed)
	var parts []string
	for _, key := range words.SortedKeys(settings) {
		parts = append(parts, key+"="+settings[key])
	}
	return words.Joined(parts)
}

// Current is the present round, whose cells are to be run.
func (s *Sweep) Current() results.ActiveRound { return s.log.Rounds[len(s.log.Rounds)-1] }

// Chosen says whether a trial belongs to the rounds so far: what was lost of an earlier one
// is run again, but for what was written off.
func (s *Sweep) Chosen(id string) bool {
	return !slices.Contains(s.Current().Failed, id) && slices.ContainsFunc(s.log.Rounds, func(r results.ActiveRound) bool {
		return slices.ContainsFunc(r.Cells, func(c results.ActiveCell) bool { return c.ID == id })
	})
}

// Earlier says what it means that cells were finished before it began; "" where none was.
func (s *Sweep) Earlier() string { return s.log.Earlier() }

// Words says how far it is.
func (s *Sweep) Words() []string { return s.log.Words() }

// Advance decides the next round from what the cells of all rounds so far gave, and
// writes it down. A cell of them that is neither done nor failed is an error.
func (s *Sweep) Advance() error {
	exp, err := s.folder.Reader().Load()
	if err != nil {
		return err
	}
	set, err := scores.New([]*results.Experiment{exp})
	if err != nil {
		return err
	}
	if s.deciding == nil {
		if err := s.begin(set); err != nil {
			return err
		}
	}
	next, err := s.decide(set, len(s.log.Rounds)+1, s.failed(exp))
	if err != nil {
		return err
	}
	if err := s.folder.Rounds().Add(s.log, next); err != nil {
		return err
	}
	if len(s.log.Rounds) > next.Round {
		s.deciding = nil // another process is ahead: its rounds are decided again
	}
	return nil
}

// failed lists the chosen cells without results: those that were written off before, and
// of the present round those that failed.
func (s *Sweep) failed(exp *results.Experiment) []string {
	out := slices.Clone(s.Current().Failed)
	for _, c := range s.Current().Cells {
		if i := slices.IndexFunc(exp.Trials, func(t results.Trial) bool { return t.ID == c.ID }); exp.Trials[i].State == results.Failed || exp.Trials[i].State == results.Stopped {
			out = append(out, c.ID)
		}
	}
	return out
}

// begin states the questions among the planned systems, and decides all rounds of the log
// again, which must come out as they are written.
func (s *Sweep) begin(set *scores.Set) (err error) {
	study, numbers, left, err := s.study(set)
	if err != nil {
		return err
	}
	s.numbers, s.left = numbers, left
	if s.deciding, err = New(study); err != nil {
		return err
	}
	for _, logged := range s.log.Rounds[1:] {
		again, err := s.decide(set, logged.Round, logged.Failed)
		if err != nil {
			return err
		}
		if same := slices.EqualFunc(again.Cells, logged.Cells, func(a, b results.ActiveCell) bool { return a.ID == b.ID }); !same || again.Stop != logged.Stop {
			return fmt.Errorf("%s: round %d does not follow from the results of the cells before it: they, or the program, are others", s.folder.Rounds().Path(), logged.Round)
		}
	}
	return nil
}

// study is what the claims ask of the planned systems.
func (s *Sweep) study(set *scores.Set) (out Study, numbers []scores.Number, left []string, err error) {
	out = Study{Alpha: s.log.Alpha, Budget: s.log.Budget, Round: s.log.Round, Start: s.log.Start, Seed: s.log.Seed}
	systems, of := map[*scores.System]int{}, map[string]int{}
	for i, system := range set.Systems {
		systems[system] = i
		for _, t := range system.Trials {
			of[t.ID] = i
		}
	}
	out.Levels = levels(set.Systems)
	for i := range s.plan.Trials {
		out.Cells = append(out.Cells, of[s.plan.Trials[i].ID])
	}
	for _, c := range s.claims.Claims {
		found, why := c.Comparisons(set)
		if why != "" {
			left = append(left, c.ID+": "+why)
			continue
		}
		for _, one := range found {
			q := Question{Claim: c.ID, Against: one.Against, Coefficients: make([]float64, len(set.Systems))}
			for _, t := range one.Terms {
				q.Coefficients[systems[t.System]] += t.Coefficient
			}
			if q.Number = slices.IndexFunc(numbers, one.On.Same); q.Number < 0 {
				q.Number, numbers = len(numbers), append(numbers, one.On)
			}
			out.Questions = append(out.Questions, q)
		}
	}
	if len(out.Questions) == 0 {
		return out, nil, nil, fmt.Errorf("%w; its cells stay, and without %s the same command begins anew with other --claims", s.undecided(left), s.folder.Rounds().Path())
	}
	return out, numbers, left, nil
}

// levels are the settings of systems: of the loss its form and its terms, of all but the
// seed what they are.
func levels(systems []*scores.System) [][]string {
	keys := map[string]bool{}
	for _, s := range systems {
		for key := range s.Config() {
			keys[key] = key != results.Seed && key != results.Loss
		}
	}
	out := make([][]string, len(systems))
	for i, s := range systems {
		form, terms, ok := scores.SplitLoss(s.Loss)
		if !ok {
			form, terms = s.Loss, s.Loss
		}
		out[i] = append(out[i], form, terms)
		for _, key := range words.SortedKeys(keys) {
			if keys[key] {
				out[i] = append(out[i], s.Config()[key])
			}
		}
	}
	return out
}

// decide is the decision of a round, without the cells that failed before it.
func (s *Sweep) decide(set *scores.Set, round int, failed []string) (results.ActiveRound, error) {
	next := results.ActiveRound{Round: round, Failed: failed, Left: s.left}
	place := map[string]int{}
	for i := range s.plan.Trials {
		place[s.plan.Trials[i].ID] = i
	}
	trials := map[string]*scores.Trial{}
	for _, t := range set.Trials {
		trials[t.ID] = t
	}
	var done, lost []int
	var of []*scores.Trial
	for _, r := range s.log.Rounds[:round-1] {
		for _, c := range r.Cells {
			switch t := trials[c.ID]; {
			case slices.Contains(failed, c.ID):
				lost = append(lost, place[c.ID])
			case t == nil || !t.Finished():
				return next, fmt.Errorf("trial %s of round %d is not finished", c.ID, r.Round)
			default:
				done, of = append(done, place[c.ID]), append(of, t)
			}
		}
	}
	var found []Measured
	for _, on := range s.numbers {
		layout, values, whole := contrast.AlignTrials(of, on)
		if !whole {
			return next, fmt.Errorf("no query has a value of %s in all of the %d cells that are done", numberWords(on), len(of))
		}
		found = append(found, Measured{layout, values})
	}
	d := s.deciding.Decide(done, lost, found)
	next.Done, next.Stop, next.Standings = len(done), d.Stop, s.said(d)
	for _, c := range d.Cells {
		next.Cells = append(next.Cells, results.ActiveCell{ID: s.plan.Trials[c.Cell].ID, Why: s.why(c)})
	}
	return next, nil
}

// mostReasons is how many contrasts a reason names.
const mostReasons = 3

// why says what a cell is to tell.
func (s *Sweep) why(c adaptive.Choice) string {
	order := make([]int, len(c.Cuts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Cuts[b], c.Cuts[a]) })
	var parts []string
	more := 0
	for _, i := range order {
		switch {
		case c.Cuts[i] < 0.0005:
		case len(parts) == mostReasons:
			more++
		default:
			parts = append(parts, fmt.Sprintf("%s −%.1f %%", s.deciding.Questions[i].Words(), 100*c.Cuts[i]))
		}
	}
	text := "variance of " + strings.Join(parts, ", ")
	if more > 0 {
		text += fmt.Sprintf(", and of %d more", more)
	}
	return text
}

// Words names a question.
func (q Question) Words() string {
	if q.Against == "" {
		return q.Claim
	}
	return q.Claim + " (" + q.Against + ")"
}

// said are standings as the log has them.
func (s *Sweep) said(d Decision) (out []results.ActiveStanding) {
	for i, at := range s.deciding.Standings() {
		q := s.deciding.Questions[i]
		one := results.ActiveStanding{
			Claim: q.Claim, Against: q.Against, On: numberWords(s.numbers[q.Number]), Side: string(at.Side),
			Value: at.Value, StandardError: at.StandardError, Freedom: at.Freedom, Share: at.Share, Looks: at.Looks, Level: at.Level, Chance: d.Chances[i],
		}
		if !math.IsInf(at.Limit, 1) {
			one.Limit = &at.Limit
		}
		if low, high, ok := at.Interval.Get(); ok {
			one.Low, one.High = &low, &high
		}
		out = append(out, one)
	}
	return out
}

// numberWords names a number.
func numberWords(on scores.Number) string { return on.Test() + " " + on.Scoring() }
