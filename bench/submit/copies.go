package submit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/trec"
	view "infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// row is a row of the board with which submitted rankings are compared.
type row struct {
	org, name string                             // org is "" for measured systems
	runs      func(taskName) ([]trec.Run, error) // of all its trainings; none without a ranking of the task
}

// nameCopies adds a note to each submission that has the rankings of another system. That may be
// another submission, a published one, or a measured system in a run folder of the board.
func nameCopies(done []*checked, all *found) error {
	var rows []row
	for _, s := range done {
		rows = append(rows, row{s.place.org, s.place.system(), func(at taskName) ([]trec.Run, error) {
			var out []trec.Run
			for _, r := range s.runs[at].seeds() {
				out = append(out, r.run)
			}
			return out, nil
		}})
	}
	for _, at := range all.skipped {
		rows = append(rows, row{at.org, at.system(), at.rankings})
	}
	measured, err := measuredRows(all.board)
	if err != nil {
		return err
	}
	rows = append(rows, measured...)
	for _, r := range rows {
		r.runs = once(r.runs)
		for _, s := range done {
			if r.org != s.place.org {
				s.compareTo(r)
			}
		}
	}
	return nil
}

// once reads the rankings of each task once.
func once(read func(taskName) ([]trec.Run, error)) func(taskName) ([]trec.Run, error) {
	type answer struct {
		runs []trec.Run
		err  error
	}
	known := map[taskName]answer{}
	return func(at taskName) ([]trec.Run, error) {
		a, ok := known[at]
		if !ok {
			a.runs, a.err = read(at)
			known[at] = a
		}
		return a.runs, a.err
	}
}

// measuredRows are the trials of run folders, by the labels of reports.
func measuredRows(dirs []string) (rows []row, err error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	exps, err := runs.LoadAll(dirs)
	if err != nil {
		return nil, err
	}
	v, err := view.New(exps)
	if err != nil {
		return nil, err
	}
	for _, exp := range exps {
		for i := range exp.Trials {
			t := &exp.Trials[i]
			of := slices.IndexFunc(v.Systems, func(s *view.System) bool {
				return slices.ContainsFunc(s.Trials, func(have *view.Trial) bool { return have.ID == t.ID })
			})
			if of < 0 || t.State != results.Done {
				continue
			}
			at, err := runs.FolderOf(exp, t)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row{"", v.Systems[of].Label, func(task taskName) ([]trec.Run, error) {
				run, err := at.Reader().Run(task.benchmark, task.task)
				if errors.Is(err, fs.ErrNotExist) {
					err = nil
				}
				return []trec.Run{run}, err
			}})
		}
	}
	return rows, nil
}

// system is the name of a submission in notes.
func (p place) system() string { return strings.Replace(p.org, "__", "/", 1) + " " + p.folder }

// rankings reads the rankings of a task by a published submission, which was checked once.
func (p place) rankings(at taskName) (out []trec.Run, err error) {
	names, err := p.files()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		dir, file := path.Split(name)
		if path.Base(dir) != results.RunsDir || strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".trec") != results.TaskFile(at.benchmark, at.task) {
			continue
		}
		run, err := p.ranking(name)
		if err != nil {
			return nil, err
		}
		out = append(out, run)
	}
	return out, nil
}

// ranking reads one file of rankings.
func (p place) ranking(name string) (trec.Run, error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing to lose
	text, err := unpacked(f, name)
	if err != nil {
		return nil, err
	}
	run, _, err := trec.Options{}.ReadRun(text, name)
	return run, err
}

// compareTo adds a note on each ranking that is mostly that of a row.
func (s *checked) compareTo(r row) {
	for _, at := range s.tasks() {
		mine := s.runs[at].seeds()
		if len(mine) == 0 {
			continue
		}
		others, err := r.runs(at)
		if err != nil {
			s.notes = words.AddNew(s.notes, fmt.Sprintf("%s: not compared with the rankings of %s: %v", mine[0].file, r.name, err))
			continue
		}
		for _, one := range mine {
			for _, other := range others {
				if same, of := sameRankings(one.run, other); 2*same > of {
					s.notes = words.AddNew(s.notes, fmt.Sprintf("%s: %d of %d rankings are the same as those of %s, which is another row of the board", one.file, same, of, r.name))
				}
			}
		}
	}
}

// leastAlike is the number of documents from which equal rankings are not a coincidence.
const leastAlike = 5

// sameRankings counts the common queries of two runs that rank leastAlike or more documents, and
// those among them whose shorter ranking begins the longer one. Scores do not matter.
func sameRankings(a, b trec.Run) (same, of int) {
	for query, mine := range a {
		n := min(len(mine), len(b[query]))
		if n < leastAlike {
			continue
		}
		of++
		if slices.EqualFunc(mine[:n], b[query][:n], func(x, y trec.Scored) bool { return x.Doc == y.Doc }) {
			same++
		}
	}
	return same, of
}
