package command

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/datasets/format"
	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/metrics/suites"
	"infbench/runners/results"
)

// boardCommand is the verb board: it prints a table of scores ranked as on mteb's
// leaderboard, and the spread of scores over prompts. For run folders there is report.
func boardCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "board SCORES.csv",
		Short: "Rank systems over tasks as mteb does",
		Long: `Rank systems over tasks as mteb's leaderboard does, from a CSV file with the columns
system, task and score, and optionally type (of the task) and prompt. Higher is better.

The mean over tasks is empty if a system lacks a task that any other system ran; the last
column names the missing tasks. The same holds for the mean over the means of types. The
rank is by Borda count: on each task that a system ran it gets the number of systems minus
its average rank there, and nothing for a missing task; the rank is 1 plus the number of
systems with more points. A system with missing tasks may have the best rank while its
means are empty.

With a column prompt, a system's score on a task is the mean over its prompts, and a
second table shows the spread: lowest, highest, and the standard deviation both with n and
with n-1, since Promptriever's paper does not state which it prints. Numbers are printed
as in the file.`,
		Example: "  infbench board scores.csv\n  infbench board scores.csv --format csv",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return printBoard(args[0], format, cmd.OutOrStdout()) },
	}
	cmd.Flags().StringVar(&format, "format", "table", strings.Join(output.Formats, ", "))
	return cmd
}

// boardColumns are the columns of the file; the first three are required.
var boardColumns = []string{"system", "task", "score", "type", "prompt"}

// boardKey is a system and a task.
type boardKey struct{ system, task string }

// scoreTable holds a file of scores.
type scoreTable struct {
	systems  []string // in the order of the file
	types    map[string]string
	values   map[boardKey][]float64 // by prompt, in the order of the file
	prompted bool
}

// printBoard reads the scores, ranks the systems and prints the tables.
func printBoard(file, form string, out io.Writer) error {
	if err := cmp.Or(output.CheckFormat(form), results.Hold(file)); err != nil {
		return err
	}
	f, err := format.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // read only
	read, err := readScores(format.Gauged(f), file)
	if err != nil {
		return err
	}
	report := read.report()
	tables := []output.Sheet{report.ranking(words.Clean(file), 2)}
	if read.prompted {
		tables = append(tables, report.spread())
	}
	return output.Print(out, form, report, report.ranking("", -1), tables...)
}

// readScores reads the table.
func readScores(in io.Reader, file string) (*scoreTable, error) {
	r := csv.NewReader(in)
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: empty file, want a header line", file)
	}
	if err != nil {
		return nil, inLine(file, err)
	}
	at, err := columnPlaces(head)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", file, err)
	}
	_, prompted := at["prompt"]
	s := &scoreTable{types: map[string]string{}, values: map[boardKey][]float64{}, prompted: prompted}
	seen := map[[3]string]bool{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, inLine(file, err)
		}
		line, _ := r.FieldPos(0)
		cell := func(name string) string {
			if i, has := at[name]; has {
				return row[i]
			}
			return ""
		}
		if err := s.add(cell, seen); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
	if len(s.values) == 0 {
		return nil, fmt.Errorf("%s: no scores", file)
	}
	return s, nil
}

// inLine adds to an error of encoding/csv its place in the file: the line where a quoted text
// begins, which may be far above the end of the file.
func inLine(file string, err error) error {
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: %w", file, parse.StartLine, parse.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// columnPlaces returns the index of each column.
func columnPlaces(head []string) (map[string]int, error) {
	at := map[string]int{}
	for i, name := range head {
		if !slices.Contains(boardColumns, name) {
			return nil, nearest.Unknown("column", name, boardColumns)
		}
		if _, twice := at[name]; twice {
			return nil, fmt.Errorf("column %s comes twice", name)
		}
		at[name] = i
	}
	for _, name := range boardColumns[:3] {
		if _, has := at[name]; !has {
			return nil, fmt.Errorf("no column %s: want system, task, score", name)
		}
	}
	return at, nil
}

// add reads one row.
func (s *scoreTable) add(cell func(string) string, seen map[[3]string]bool) error {
	k := boardKey{cell("system"), cell("task")}
	score, err := strconv.ParseFloat(cell("score"), 64)
	known, typed := s.types[k.task]
	switch {
	case k.system == "" || k.task == "":
		return errors.New("system or task is empty")
	case err != nil || !words.Finite(score):
		return fmt.Errorf("score %q is not a number", cell("score"))
	case seen[[3]string{k.system, k.task, cell("prompt")}]:
		return fmt.Errorf("%s has a score on %s already", k.system, strings.TrimSpace(k.task+" "+cell("prompt")))
	case typed && known != cell("type"):
		return fmt.Errorf("task %s has type %q here and %q before", k.task, cell("type"), known)
	}
	seen[[3]string{k.system, k.task, cell("prompt")}] = true
	s.types[k.task] = cell("type")
	s.systems = words.AddNew(s.systems, k.system)
	s.values[k] = append(s.values[k], score)
	return nil
}

// boardRow is a system's row on the board.
type boardRow struct {
	System   string              `json:"system"`
	Rank     int                 `json:"rank"`
	Points   float64             `json:"points"`
	MeanTask *float64            `json:"mean_of_tasks"`
	MeanType *float64            `json:"mean_of_types,omitempty"`
	Types    map[string]*float64 `json:"types,omitempty"`
	Missing  []string            `json:"missing"`
}

// boardSpread is a system's scores on a task over prompts.
type boardSpread struct {
	System     string   `json:"system"`
	Task       string   `json:"task"`
	Prompts    int      `json:"prompts"`
	Mean       float64  `json:"mean"`
	Lowest     float64  `json:"lowest"`
	Highest    float64  `json:"highest"`
	Population float64  `json:"deviation_n"`
	Sample     *float64 `json:"deviation_n_minus_1"` // nil for one prompt
}

// boardReport is the result of the verb.
type boardReport struct {
	Rows    []boardRow    `json:"systems"`
	Spreads []boardSpread `json:"spreads,omitempty"`
	types   []string      // of tasks, if the file has them
	tasks   int
}

// report ranks the systems, best first.
func (s *scoreTable) report() *boardReport {
	r := &boardReport{tasks: len(s.types)}
	for _, kind := range slices.Sorted(maps.Values(s.types)) {
		if kind != "" {
			r.types = words.AddNew(r.types, kind)
		}
	}
	means := map[string]map[string]float64{}
	for _, system := range s.systems {
		means[system] = map[string]float64{}
		for _, task := range words.SortedKeys(s.types) {
			spread, ok := suites.SpreadOf(s.values[boardKey{system, task}])
			if !ok {
				continue
			}
			means[system][task] = spread.Mean
			if s.prompted {
				r.Spreads = append(r.Spreads, spreadRow(system, task, spread))
			}
		}
	}
	standings := suites.Board(means, s.types)
	for _, system := range s.systems {
		of := standings[system]
		row := boardRow{System: system, Rank: of.Rank, Points: of.Points, MeanTask: of.MeanTask, Missing: append([]string{}, of.Missing...)}
		if r.types != nil {
			row.MeanType, row.Types = of.MeanType, of.Types
		}
		r.Rows = append(r.Rows, row)
	}
	slices.SortStableFunc(r.Rows, func(a, b boardRow) int { return cmp.Compare(a.Rank, b.Rank) })
	return r
}

// spreadRow is a spread, rounded for print.
func spreadRow(system, task string, s suites.Spread) boardSpread {
	row := boardSpread{System: system, Task: task, Prompts: s.N, Mean: s.Mean, Lowest: s.Lowest, Highest: s.Highest, Population: s.Population}
	if words.Finite(s.Sample) {
		row.Sample = &s.Sample
	}
	return row
}

// ranking returns the board, rounded to a number of decimals; -1 keeps all.
func (r *boardReport) ranking(title string, decimals int) output.Sheet {
	number := func(v *float64) string {
		if v == nil || decimals < 0 {
			return output.Exact(v)
		}
		return words.Fixed(*v, decimals)
	}
	s := output.Sheet{Title: title, Head: []string{"system", "rank", "points", "mean of tasks"}, Left: 1}
	if r.types != nil {
		s.Head = append(append(s.Head, "mean of types"), r.types...)
	}
	s.Head = append(s.Head, "missing")
	for _, row := range r.Rows {
		cells := []string{row.System, strconv.Itoa(row.Rank), number(&row.Points), number(row.MeanTask)}
		if r.types != nil {
			cells = append(cells, number(row.MeanType))
			for _, kind := range r.types {
				cells = append(cells, number(row.Types[kind]))
			}
		}
		s.Rows = append(s.Rows, append(cells, strings.Join(row.Missing, " ")))
	}
	s.Notes = []string{fmt.Sprintf("%s, %s; ranks are by Borda count, means only for systems that ran all tasks", words.Plural(len(r.Rows), "system", "systems"), words.Plural(r.tasks, "task", "tasks"))}
	return s
}

// spread returns the table of spreads over prompts.
func (r *boardReport) spread() output.Sheet {
	s := output.Sheet{Title: "Spread over prompts", Head: []string{"system", "task", "prompts", "mean", "lowest", "highest", "deviation (n)", "deviation (n-1)"}, Left: 2}
	for _, of := range r.Spreads {
		sample := ""
		if of.Sample != nil {
			sample = words.Fixed(*of.Sample, 2)
		}
		s.Rows = append(s.Rows, []string{of.System, of.Task, strconv.Itoa(of.Prompts), words.Fixed(of.Mean, 2), words.Fixed(of.Lowest, 2), words.Fixed(of.Highest, 2), words.Fixed(of.Population, 2), sample})
	}
	return s
}
