package published

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets/format"
	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/metrics"
)

// SourceSuites is the Source of cells from a table of the newer suites' numbers.
const SourceSuites = "suites"

// suiteColumns are the columns of such a table.
var suiteColumns = []string{"suite", "task", "system", "measure", "value", "source"}

// ReadSuites reads a table of published numbers of the newer suites: a CSV file with the columns
// suite, task, system, measure, value and source. Values are percent, except for measures that name
// their scale or count. Reservations of a source about a number, and known reasons why a number is
// not comparable, are footnotes of its cell. If one source has a number twice, the first counts.
// That is a doubt, and so are a number on which two sources disagree and an unknown suite. A value
// outside the range of its measure is an error.
func ReadSuites(file string) (*Collection, error) {
	f, err := format.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing to lose
	rows := csv.NewReader(f)
	head, err := rows.Read()
	if err != nil || !slices.Equal(head, suiteColumns) {
		return nil, fmt.Errorf("%s:1: want a table with the columns %s", file, strings.Join(suiteColumns, ","))
	}
	c := &Collection{Source: SourceSuites, Files: 1}
	type place struct {
		line int
		Cell
	}
	first := map[number]place{}
	name := filepath.Base(file)
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		line, _ := rows.FieldPos(0)
		cell, err := suiteCell(row)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		if suite := strings.TrimSuffix(row[0], " (mteb)"); !slices.Contains(suiteNames, suite) {
			c.Doubts = words.AddNew(c.Doubts, fmt.Sprintf("%s: %v", name, nearest.Unknown("suite", suite, suiteNames)))
		}
		of := numberOf(&cell)
		before, twice := first[of]
		conflict := fmt.Sprintf("%s:%d: %s of %s on %s is %s here and %s on line %d", name, line, row[3], row[2], row[1], cell.Raw, before.Raw, before.line)
		switch {
		case !twice:
			first[of] = place{line, cell}
		case before.File == cell.File:
			c.Doubts = append(c.Doubts, conflict+": the first counts")
			continue
		case math.Abs(before.Value-cell.Value) > before.Tolerance+cell.Tolerance+1e-12:
			c.Doubts = append(c.Doubts, conflict+", by another source")
		}
		c.Cells = append(c.Cells, cell)
	}
	if len(c.Cells) == 0 {
		return nil, fmt.Errorf("%s: no numbers in this table", file)
	}
	c.sort()
	return c, nil
}

// suiteNames are the suites of such tables.
var suiteNames = []string{"BRIGHT-Pro", "BRIGHT-Pro agentic adaptive", "BRIGHT-Pro agentic fixed", browseComp, browseComp + " + Fineweb 10BT",
	browseComp + " agent", "CRUMB", mairExcluIR, "FollowIR v2", "IFIR", "R2MED", "mFollowIR cross-lingual"}

// mtebVersion matches a version of mteb in a source.
var mtebVersion = regexp.MustCompile(`mteb (\d+\.\d+\.\d+)`)

// suiteCell parses one row of the table.
func suiteCell(row []string) (Cell, error) {
	suite, task, system, measure, value, source := row[0], row[1], row[2], row[3], row[4], row[5]
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{}, fmt.Errorf("value %q is not a number", value)
	}
	c := Cell{Source: SourceSuites, File: source, Raw: value, Footnotes: suiteFootnotes(suite, system, source)}
	c.Model, c.Revision, _ = strings.Cut(system, "@")
	suite, isMTEB := strings.CutSuffix(suite, " (mteb)")
	if !isMTEB {
		c.Config = "authors"
	}
	c.Task = suiteTask(suite, task)
	c.Side, c.Measure = suiteMeasure(suite, measure)
	scale := 100.0
	if strings.Contains(measure, "(") || slices.Contains(suiteCounts, measure) {
		scale = 1
	}
	c.Value, c.Tolerance = v/scale, HalfUnit(value)/scale
	c.Main = slices.Contains(suiteMain, c.Measure)
	if err := metrics.CheckRange(c.Measure, c.Value); err != nil {
		return Cell{}, fmt.Errorf("value %s of %s, over %g: %w", value, measure, scale, err)
	}
	if m := mtebVersion.FindString(source); m != "" {
		if !isMTEB {
			c.Config += ", " + m
		}
		c.Conventions = Conventions{Version: m, Qrels: c.Side, Ties: mtebTies(strings.TrimPrefix(m, "mteb "))}
	}
	return c, nil
}

// suiteMain are the measures by which the suites rank.
var suiteMain = []string{"nDCG@10", "p-MRR", "aspect_nDCG@25"}

// suiteCounts are measures that are counts.
var suiteCounts = []string{"rounds", "search calls", "citations per answer"}

// HalfUnit returns half a unit of the last digit of a printed number.
func HalfUnit(printed string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(printed), "e")
	_, digits, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent) // 0 without one
	return 0.5 * math.Pow10(power-len(digits))
}

// suiteMeasure returns this program's name of a measure, and its side.
func suiteMeasure(suite, measure string) (side, name string) {
	if of, rest, ok := strings.Cut(measure, "/"); ok && (of == "og" || of == "changed") {
		side, measure = map[string]string{"og": "original", "changed": "changed"}[of], rest
	}
	base, cut, _ := strings.Cut(measure, "@")
	switch {
	case base == "alpha-nDCG" && strings.HasPrefix(suite, "BRIGHT-Pro"):
		return side, "aspect_nDCG@" + cut
	case base == "Recall", base == "recall":
		return side, "R@" + cut
	}
	if name, ok := mtebMeasure(measure); ok && !strings.Contains(measure, "@") {
		return side, name
	}
	return side, measure
}

// suiteMeans are the names of means over all tasks of a suite.
var suiteMeans = []string{"mean of tasks", "average", "average of 8 tasks", "overall"}

// suiteTask returns mteb's name of a task if there is one; a mean gets the name of its suite.
func suiteTask(suite, task string) string {
	switch {
	case slices.Contains(suiteMeans, task):
		return suite
	case suite == "R2MED" && !strings.HasPrefix(task, suite):
		return r2medTask(task)
	case suite == browseComp && browseCompSubsets[task] != "":
		return browseCompTask(browseCompSubsets[task])
	case suite == mairExcluIR:
		return "ExcluIR"
	case suite == "BRIGHT-Pro" && brightTasks[task] != "":
		return brightProTask(task)
	case strings.HasSuffix(task, "Retrieval") || strings.HasPrefix(task, "IFIR"):
		return task
	}
	return suite + " " + task
}

// Suites whose tasks have other names elsewhere.
const (
	browseComp  = "BrowseComp-Plus"
	mairExcluIR = "ExcluIR (in MAIR)"
)

// browseCompSubsets are mteb's names of the two judgments of BrowseComp-Plus.
var browseCompSubsets = map[string]string{"BrowseCompPlusRetrieval/gold_only": "gold", "BrowseCompPlusRetrieval/gold_and_evidence": "evidence"}

// browseCompTask returns the authors' name of a task.
func browseCompTask(judgments string) string { return browseComp + " " + judgments }

// r2medTask and brightProTask return mteb's names of tasks.
func r2medTask(repo string) string { return "R2MED" + strings.ReplaceAll(repo, "-", "") + "Retrieval" }
func brightProTask(domain string) string {
	return "BrightPro" + brightTasks[domain] + "Retrieval"
}

// suiteFootnotes explains why a number cannot serve as a check, or who computed it.
func suiteFootnotes(suite, system, source string) (notes []string) {
	if _, why, ok := strings.Cut(source, "DO NOT USE:"); ok {
		notes = append(notes, "not a check:"+why)
	}
	if strings.Contains(source, "other data version") {
		notes = append(notes, "not a check: of another version of the data than the release") //plain:ok in Collection.Hash
	}
	if strings.Contains(source, "older dataset revision") {
		notes = append(notes, "not a check: of an older revision of the data") //plain:ok in Collection.Hash
	}
	if suite == "BRIGHT-Pro (mteb)" && strings.Contains(system, "baseline-bm25s") {
		notes = append(notes, "not a check: mteb's BM25 is not the authors'")
	}
	if strings.HasPrefix(source, "computed here") {
		notes = append(notes, "mean of the printed numbers, computed when they were collected")
	}
	return notes
}
