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
	left     []string // claims that cannot be decided, and why
}

// Open opens the active sweep of a folder. If there is none, it prepares one of the plan, which
// Begin then starts. A zero setting means the default, or the value that the sweep began with.
// Open writes nothing: after an error the folder is unchanged.
func Open(folder runs.Folder, plan *spec.Plan, asked results.ActiveSettings) (*Sweep, error) {
	log, err := folder.Rounds().Read()
	if err != nil {
		return nil, err
	}
	asked.Plan, asked.Budget = planHash(plan), min(asked.Budget, len(plan.Trials))
	switch {
	case log != nil:
		if err := checkSettings(log.ActiveSettings, asked); err != nil {
			return nil, fmt.Errorf("%s: %w", folder.Rounds().Path(), err)
		}
		if line, err := checkPlan(log, plan); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", folder.Rounds().Path(), line, err)
		}
	case asked.Text == "":
		return nil, usage.Errorf("--active needs --claims FILE: state the claims to decide before the first cell runs")
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

// Begin logs the settings and the first round, unless that was done before, perhaps by another
// process just now.
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
	if err := checkSettings(log.ActiveSettings, s.log.ActiveSettings); err != nil {
		return fmt.Errorf("%s: %w", s.folder.Rounds().Path(), err)
	}
	if s.log = log; len(log.Rounds) > 0 {
		return nil
	}
	return s.folder.Rounds().Add(log, s.drawn())
}

// after returns the settings with the number of cells that were finished before the sweep
// began. A finished cell is used when it is chosen: its result does not depend on when it ran,
// but using all of them would use cells that nobody drew. If all cells are finished, after
// returns an error.
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
		return out, usage.Errorf("all %d cells of %s are finished, so no cell can be chosen: infbench claims %s %s judges all of them", all, s.folder.Dir, s.log.Claims, s.folder.Dir)
	}
	return out, nil
}

// askable returns an error if the planned systems cannot decide any of the claims, before a
// cell runs for them. The measures are not known before the first results.
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

// undecided is the error for claims that this experiment cannot decide.
func (s *Sweep) undecided(left []string) error {
	return usage.Errorf("no claim of %s can be decided by this experiment: %s", s.log.Claims, strings.Join(left, "; "))
}

// Defaults of an active sweep.
const (
	defaultAlpha  = 0.05
	defaultBudget = 0.4 // share of all cells
	startShare    = 0.1 // share of all cells: fewer do not show how runs and systems vary
	leastStart    = 8
)

// complete fills in the defaults.
func complete(s results.ActiveSettings, cells int) results.ActiveSettings {
	s.Alpha = cmp.Or(s.Alpha, defaultAlpha)
	s.Budget = min(cells, cmp.Or(s.Budget, max(1, int(defaultBudget*float64(cells)))))
	s.Start = cmp.Or(s.Start, max(leastStart, int(math.Ceil(startShare*float64(cells)))))
	s.Round = cmp.Or(s.Round, 1)
	s.Seed = cmp.Or(s.Seed, 1)
	return s
}

// enough returns an error if the first round has all cells or exceeds the budget.
func enough(s results.ActiveSettings, cells int) error {
	switch {
	case cells <= s.Start:
		return usage.Errorf("%s are too few to choose from: the first round alone has %d; leave out --active", words.Plural(cells, "cell", "cells"), s.Start)
	case s.Budget < s.Start:
		return usage.Errorf("--cells (by default %g%% of all): %d of %d cells are fewer than the first round, which has %d (a tenth of all cells, at least %d): fewer do not show how runs and systems vary", 100*defaultBudget, s.Budget, cells, s.Start, leastStart)
	}
	return nil
}

// checkSettings returns an error if the settings differ from those that the sweep began with.
func checkSettings(began, asked results.ActiveSettings) error {
	if began.Plan != asked.Plan {
		return errors.New("the plan has other cells than when this active sweep began; use another experiment name, or finish it without --active")
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
			return usage.Errorf("this active sweep began with %s %v, found %v: claims and error rate cannot change after the first cell", c.name, c.began, c.wanted)
		}
	}
	return nil
}

// checkPlan returns an error, and the line of the log, if the log names cells that are not in
// the plan: no later hash protects the last line.
func checkPlan(log *runs.Active, plan *spec.Plan) (line int, err error) {
	if all := len(plan.Trials); log.Start < 1 || log.Start > all {
		return 1, fmt.Errorf("a first round of %d cells, but %d cells are planned", log.Start, all)
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

// planHash is the hash of the trial IDs of a plan.
func planHash(plan *spec.Plan) string {
	var ids []string
	for i := range plan.Trials {
		ids = append(ids, plan.Trials[i].ID)
	}
	slices.Sort(ids)
	return disk.Sum(strings.Join(ids, "\n"))
}

// drawn is the first round, which is random.
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

// withoutSeed formats the settings that all runs of a system share.
func withoutSeed(settings map[string]string) string {
	delete(settings, results.Seed)
	var parts []string
	for _, key := range words.SortedKeys(settings) {
		parts = append(parts, key+"="+settings[key])
	}
	return words.Joined(parts)
}

// Current is the present round, whose cells are to run.
func (s *Sweep) Current() results.ActiveRound { return s.log.Rounds[len(s.log.Rounds)-1] }

// Chosen reports whether a trial belongs to a round so far and was not written off. Results of
// earlier rounds that were lost are computed again.
func (s *Sweep) Chosen(id string) bool {
	return !slices.Contains(s.Current().Failed, id) && slices.ContainsFunc(s.log.Rounds, func(r results.ActiveRound) bool {
		return slices.ContainsFunc(r.Cells, func(c results.ActiveCell) bool { return c.ID == id })
	})
}

// Earlier explains how cells count that were finished before the sweep began; "" if there were
// none.
func (s *Sweep) Earlier() string { return s.log.Earlier() }

// Words describes the progress of the sweep.
func (s *Sweep) Words() []string { return s.log.Words() }

// Advance decides the next round from the results of all rounds so far and logs it. It is an
// error if a cell of these rounds has neither finished nor failed.
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
		s.deciding = nil // another process is ahead: decide its rounds again
	}
	return nil
}

// failed lists the chosen cells without results: those written off before and those of the
// present round that failed.
func (s *Sweep) failed(exp *results.Experiment) []string {
	out := slices.Clone(s.Current().Failed)
	for _, c := range s.Current().Cells {
		if i := slices.IndexFunc(exp.Trials, func(t results.Trial) bool { return t.ID == c.ID }); exp.Trials[i].State == results.Failed || exp.Trials[i].State == results.Stopped {
			out = append(out, c.ID)
		}
	}
	return out
}

// begin states the questions about the planned systems. It then repeats the decisions of all
// logged rounds; each must be the same as in the log.
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
			return fmt.Errorf("%s: round %d does not follow from the results of the cells before it: the results or the program have changed", s.folder.Rounds().Path(), logged.Round)
		}
	}
	return nil
}

// study states the questions that the claims ask about the planned systems.
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
		return out, nil, nil, fmt.Errorf("%w; its cells stay: delete %s, and the same command starts again with other --claims", s.undecided(left), s.folder.Rounds().Path())
	}
	return out, numbers, left, nil
}

// levels returns the factor levels of systems: the form and the terms of the loss, and every
// other setting except the seed.
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

// decide returns the decision of a round, without the cells that failed before it.
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
			return next, fmt.Errorf("no query has a value of %s in all %d finished cells", numberWords(on), len(of))
		}
		found = append(found, Measured{layout, values})
	}
	d := s.deciding.Decide(done, lost, found)
	next.Done, next.Stop, next.Standings = len(done), d.Stop, s.standings(d)
	for _, c := range d.Cells {
		next.Cells = append(next.Cells, results.ActiveCell{ID: s.plan.Trials[c.Cell].ID, Why: s.why(c)})
	}
	return next, nil
}

// mostReasons is the number of contrasts that a reason names.
const mostReasons = 3

// why explains why a cell was chosen.
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

// standings converts standings to their form in the log.
func (s *Sweep) standings(d Decision) (out []results.ActiveStanding) {
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
