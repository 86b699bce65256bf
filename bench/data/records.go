package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/output"
	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/catalog"
	"infbench/runners/contamination"
)

// The files that data records writes.
const (
	recordsFile = "train.jsonl"
	noteFile    = "records.json"
)

// recordsOptions are the flags of data records.
type recordsOptions struct {
	out     string
	tasks   []string
	tests   []string
	world   uint64
	seed    uint64
	shuffle bool
}

// recordsCommand is the verb data records. Package datasets decides what a record is.
func recordsCommand() *cobra.Command {
	var o recordsOptions
	cmd := &cobra.Command{
		Use:   "records DATA --out DIR",
		Short: "Make training records from a benchmark with several instructions for a query",
		Long: `Make training records (triplets with InF-IR's columns) from a benchmark that judges
documents under each of several instructions of a query, such as FollowTable or
InstructIR. A record contrasts two instructions of a query, I+ and I-: its passage P+ is
relevant under I+ only, its hard negative P1- under I- only; Q- is the query of another
topic and P2- a document of that topic. There is one record for each ordered pair of
instructions for which such documents exist; --seed draws them.

With --test no record has a query, an instruction or a document that shares a run of 13
words with a test, or that equals it: data overlap then counts 0. If the test is DATA
itself, its tasks that --task leaves out are the test.

--shuffle-instructions makes the control: the same records, but each instruction has the
text of another topic's instruction.

DIR gets train.jsonl and records.json, with the rule, the counts, and the IDs of parts
that were left out, with reasons. Records of a private collection are private.`,
		Example: `  infbench data records followtable --task IndusTR --task WTR --test followtable --out corpora/followtable
  infbench data records instructir --seed 2 --out records`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	flags.Group(f, flags.DataFlags, func() {
		f.StringArrayVar(&o.tasks, "task", nil, "task of DATA to take; may be repeated (default all)")
		f.StringArrayVar(&o.tests, "test", nil, "benchmark whose texts no record may have; may be repeated")
		f.Uint64Var(&o.world, "world", 1, "seed of the generated world of mini data")
		f.Uint64Var(&o.seed, "seed", 1, "seed of the drawn documents and queries")
		f.BoolVar(&o.shuffle, "shuffle-instructions", false, "give each instruction the text of another topic's, as a control")
	})
	flags.Group(f, flags.OutputFlags, func() { f.StringVar(&o.out, "out", "", "folder to write") })
	return cmd
}

// recordsNote is the content of the note. It has IDs and numbers, but no text of the data.
type recordsNote struct {
	Data     string               `json:"data"`
	Tests    []string             `json:"tests"` // names, with tasks
	Rule     string               `json:"rule"`
	Seed     uint64               `json:"seed"`
	Shuffled bool                 `json:"shuffled_instructions"`
	Tasks    []datasets.Contrasts `json:"tasks"`
	Without  []string             `json:"without"` // why other tasks have no record
	Records  int                  `json:"records"`
	SHA256   string               `json:"sha256"` // of the records
}

// run makes the records and writes them with their note.
func (o *recordsOptions) run(ctx context.Context, stdout io.Writer, name string) error {
	if o.out == "" {
		return usage.Errorf("data records needs --out DIR")
	}
	for file, kind := range map[string]output.Kind{recordsFile: output.JSONLines, noteFile: output.JSON} {
		if err := (output.File{Path: filepath.Join(o.out, file), Kind: kind, Inputs: append([]string{name}, o.tests...)}).Check(); err != nil {
			return err
		}
	}
	b, err := catalog.LoadBenchmark(name, o.world)
	if err != nil {
		return usage.AsError(err)
	}
	if b.IsPrivate() {
		if err := o.checkOnly(); err != nil {
			return err
		}
	}
	chosen, rest, err := o.choose(b)
	if err != nil {
		return err
	}
	note := &recordsNote{Data: b.Name, Rule: datasets.ContrastRule, Seed: o.seed, Shuffled: o.shuffle}
	taken, err := o.taken(rest, note)
	if err != nil {
		return err
	}
	records, err := note.contrast(chosen, datasets.ContrastOptions{Seed: o.seed, Taken: taken, Shuffle: o.shuffle})
	if err != nil {
		return err
	}
	if err := o.write(ctx, note, records, chosen.IsPrivate()); err != nil {
		return err
	}
	return note.sheet(o.out, chosen.IsPrivate()).WriteTable(stdout)
}

// checkOnly refuses a folder with other files: the mark of private texts covers all of it.
func (o *recordsOptions) checkOnly() error {
	entries, err := disk.ReadDir(o.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !slices.Contains([]string{recordsFile, noteFile, hub.PrivateFile}, e.Name()) && !disk.IsTemporary(e.Name()) {
			return usage.Errorf("%s would be marked as private, but it has %s: name a new folder with --out", o.out, e.Name())
		}
	}
	return nil
}

// choose splits a benchmark into the tasks to take and the others.
func (o *recordsOptions) choose(b *datasets.Benchmark) (chosen, rest *datasets.Benchmark, err error) {
	var names []string
	for _, t := range b.Tasks {
		names = append(names, t.Name)
	}
	for _, task := range o.tasks {
		if !slices.Contains(names, task) {
			return nil, nil, usage.Error{Err: nearest.Unknown("task", task, names)}
		}
	}
	take, leave := *b, *b
	take.Tasks, leave.Tasks = nil, nil
	for _, t := range b.Tasks {
		if len(o.tasks) == 0 || slices.Contains(o.tasks, t.Name) {
			take.Tasks = append(take.Tasks, t)
		} else {
			leave.Tasks = append(leave.Tasks, t)
		}
	}
	return &take, &leave, nil
}

// taken returns a function that reports whether a text is in a test; nil without tests. rest has
// the tasks of the data that are not taken.
func (o *recordsOptions) taken(rest *datasets.Benchmark, note *recordsNote) (func(string) bool, error) {
	var tests []*datasets.Benchmark
	for _, name := range o.tests {
		b, err := catalog.LoadBenchmark(name, o.world)
		if err != nil {
			return nil, usage.AsError(err)
		}
		if b.Folder == rest.Folder && (b.Folder != "" || b.Name == rest.Name) {
			b = rest
		}
		if len(b.Tasks) == 0 {
			return nil, usage.Errorf("--test %s: all of its tasks are taken, so none is left as a test: choose with --task", name)
		}
		for _, t := range b.Tasks {
			note.Tests = append(note.Tests, b.Name+"/"+t.Name)
		}
		tests = append(tests, b)
	}
	if tests == nil {
		return nil, nil
	}
	return contamination.InTests(tests, datasets.OverlapWords)
}

// contrast makes the records of all tasks. It fails if no task has a record.
func (n *recordsNote) contrast(b *datasets.Benchmark, o datasets.ContrastOptions) (all []datasets.Triplet, err error) {
	var errs []error
	for i := range b.Tasks {
		c, err := datasets.Contrast(&b.Tasks[i], o)
		if err != nil {
			errs = append(errs, err)
			n.Without = append(n.Without, err.Error())
			continue
		}
		all = append(all, c.Triplets...)
		n.Tasks = append(n.Tasks, *c)
	}
	n.Records = len(all)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", b.Name, errors.Join(errs...))
	}
	return all, nil
}

// record is a line of the result, under the names of InF-IR's columns.
type record struct {
	ID                  string `json:"id"`
	InstructionPositive string `json:"instruction_positive"`
	InstructionNegative string `json:"instruction_negative"`
	QueryPositive       string `json:"query_positive"`
	QueryNegative       string `json:"query_negative"`
	Positive            string `json:"document_positive"`
	HardNegative1       string `json:"hard_negative_document_1"`
	HardNegative2       string `json:"hard_negative_document_2"`
}

// write writes records and note. A folder of private records is marked first.
func (o *recordsOptions) write(ctx context.Context, note *recordsNote, records []datasets.Triplet, private bool) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	for _, t := range records {
		if err := e.Encode(record(t)); err != nil {
			return err
		}
	}
	note.SHA256 = disk.Sum(text.Bytes())
	if err := disk.MkdirAll(disk.OS{}, o.out); err != nil {
		return err
	}
	if private {
		if err := (hub.Private{Files: map[string]int64{note.SHA256: int64(text.Len())}}).Mark(ctx, o.out); err != nil {
			return err
		}
	}
	if err := disk.WriteBytes(filepath.Join(o.out, recordsFile), text.Bytes()); err != nil {
		return err
	}
	return disk.WriteJSONTo(disk.OS{}, filepath.Join(o.out, noteFile), note)
}

// sheet shows the counts of the note.
func (n *recordsNote) sheet(out string, private bool) output.Sheet {
	s := output.Sheet{Title: fmt.Sprintf("%s: %s from %s", out, words.Plural(n.Records, "record", "records"), n.Data), Left: 1,
		Head: []string{"task", "topics", "instructions", "used", "records"}}
	for _, t := range n.Tasks {
		s.Rows = append(s.Rows, []string{t.Task, strconv.Itoa(t.Topics), strconv.Itoa(t.Instructions), strconv.Itoa(t.Used), strconv.Itoa(t.Records)})
		for _, l := range t.LeftOut {
			s.Notes = append(s.Notes, fmt.Sprintf("%s, left out: %s, %d", t.Task, l.Reason, l.N))
		}
	}
	s.Notes = append(s.Notes, n.Without...)
	if len(n.Tests) > 0 {
		s.Notes = append(s.Notes, "shares no run of 13 words with "+strings.Join(n.Tests, ", "))
	}
	if private {
		s.Notes = append(s.Notes, "the records are private: outputs have only IDs and numbers")
	}
	return s
}
