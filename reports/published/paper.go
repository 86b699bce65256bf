package published

import (
	"embed"
	"encoding/csv"
	"fmt"
	"infbench/metrics"
	"path"
	"strconv"
	"strings"
)

//go:embed paper/*.csv
var paperFiles embed.FS

// SourcePaper is the beginning of the Source of every cell of the paper's tables.
const SourcePaper = "InF-IR"

// Paper returns the tables of "Towards Better Instruction Following Retrieval Models" (arXiv
// 2505.21439): all six in their layout, and from tables 2 to 6 the numbers of models. Numbers that
// contradict others of the paper have a footnote. Scores follow mteb 1.x, which evaluates the
// original instructions' ranking by the changed judgments: the paper's row for e5-base-v2 is that
// of mteb 1.18.
func Paper() (*Collection, error) {
	c := &Collection{Source: SourcePaper}
	for _, table := range []string{"1", "2", "3", "4", "5", "6"} {
		rows, err := readCSV("table"+table+".csv", []string{"table", "row", "model", "config", "dataset", "metric", "value", "raw", "note"})
		if err != nil {
			return nil, err
		}
		c.Files++
		printed := Printed{Number: table}
		for i, r := range rows {
			cell, err := readCell(table, r)
			if err != nil {
				return nil, fmt.Errorf("table%s.csv:%d: %w", table, i+2, err)
			}
			printed.Cells = append(printed.Cells, cell)
		}
		c.Tables = append(c.Tables, printed)
	}
	if err := c.footnotes(); err != nil {
		return nil, err
	}
	c.gather()
	return c, nil
}

// readCell reads one entry of a table.
func readCell(table string, r map[string]string) (PrintedCell, error) {
	p := PrintedCell{Dataset: r["dataset"], Metric: r["metric"], Blank: r["value"] == "" || table == tableOfData}
	p.Cell = Cell{
		Source: SourcePaper + ", table " + table, Model: r["model"], Config: r["config"],
		Task: r["dataset"], Measure: paperMeasures[r["metric"]], File: "table" + table + ".csv", Raw: r["raw"],
	}
	if label, ok := strings.CutPrefix(r["note"], "printed label: "); ok {
		p.Label = label
	} else if group, ok := strings.CutPrefix(r["note"], "group: "); ok {
		p.Group = group
	} else if r["note"] != "" {
		p.Footnotes = append(p.Footnotes, r["note"])
	}
	row, err := strconv.Atoi(r["row"])
	if p.Row = row; err != nil || table == tableOfData {
		return p, err
	}
	if p.Measure == "" {
		return p, fmt.Errorf("metric %q is unknown", r["metric"])
	}
	p.follow()
	if p.Blank {
		return p, nil
	}
	v, err := strconv.ParseFloat(r["value"], 64)
	_, decimals, _ := strings.Cut(r["raw"], ".")
	p.Value, p.Tolerance = v/100, 0.005
	for range decimals {
		p.Tolerance /= 10
	}
	return p, err
}

// tableOfData is the number of the table that compares data collections; it has no numbers of
// models.
const tableOfData = "1"

// follow sets the conventions of a number of the paper.
func (p *PrintedCell) follow() {
	if p.Task == "Bright" {
		p.Conventions = Conventions{Excluded: ExcludedRemoved, Why: "the reference code takes them out of every ranking"}
	}
	if !p.isFollowIR() {
		return
	}
	p.Conventions = Conventions{Ties: TiesByInsertion, Version: "mteb 1.x", Why: "e5-base-v2's row equals mteb 1.18's"}
	if !metrics.IsShift(p.Measure) {
		p.Side, p.Conventions.Qrels = "original", "changed"
		p.Main = p.Task != "FollowIR"
	}
}

// isFollowIR reports whether a number of the paper is of FollowIR.
func (c *Cell) isFollowIR() bool {
	_, part := mainMeasures[c.Task+"InstructionRetrieval"]
	return part || c.Task == "FollowIR"
}

// average is the paper's name for the mean over its models.
const average = "Average"

// IsAverage reports whether an entry is the mean over models.
func (p *PrintedCell) IsAverage() bool { return p.Model == average }

// gather lists the numbers of models, and the missing numbers of the tables.
func (c *Collection) gather() {
	for _, t := range c.Tables {
		for i := range t.Cells {
			switch p := &t.Cells[i]; {
			case t.Number == tableOfData || p.IsAverage():
			case p.Blank:
				c.Missing = append(c.Missing, Missing{p.Model, "", p.Task, p.File, "not printed"})
			default:
				c.Cells = append(c.Cells, p.Cell)
			}
		}
	}
}

// paperMeasures translates the paper's column heads. Score is the mean of FollowIR's two MAPs and
// one nDCG.
var paperMeasures = map[string]string{
	"MAP": "AP@1000", "nDCG@5": "nDCG@5", "nDCG@10": "nDCG@10", "nDCG@10 mean": "nDCG@10",
	"p-MRR": "p-MRR", "score": "score",
}

// footnotes adds a footnote to the numbers listed in violations.csv, which contradict other numbers
// of the paper.
func (c *Collection) footnotes() error {
	rows, err := readCSV("violations.csv", []string{"table", "row", "check", "recomputed_or_other", "printed", "diff"})
	if err != nil {
		return err
	}
	for i, r := range rows {
		doubt := fmt.Sprintf("table %s, %s, %s: printed %s, but its parts give %s", r["table"], r["row"], r["check"], r["printed"], r["recomputed_or_other"])
		if strings.Contains(r["table"], "vs") {
			doubt = fmt.Sprintf("tables %s, %s, %s: %s in one, %s in the other", strings.ReplaceAll(r["table"], "vs", " and "), r["row"], r["check"], r["recomputed_or_other"], r["printed"])
		}
		c.Doubts = append(c.Doubts, doubt)
		marked := 0
		for _, t := range c.Tables {
			for j := range t.Cells {
				if cell := &t.Cells[j].Cell; cell.contradicted(r) {
					cell.Footnotes = append(cell.Footnotes, doubt)
					marked++
				}
			}
		}
		if marked == 0 {
			return fmt.Errorf("violations.csv:%d: no printed number is meant", i+2)
		}
	}
	return nil
}

// contradicted reports whether a row of violations.csv is about a cell.
func (c *Cell) contradicted(r map[string]string) bool {
	tables := strings.Split(r["table"], "vs")
	row, config, _ := strings.Cut(r["row"], "/")
	about := false
	for _, t := range tables {
		about = about || c.Source == SourcePaper+", table "+t
	}
	named := c.Model == row && (config == "" || c.Config == config) ||
		row == fmt.Sprintf("%s (%s)", c.Config, c.Model) // the spelling in table 5 of a row of table 2
	if !about || !named {
		return false
	}
	if task, measure, ok := strings.Cut(r["check"], " "); ok {
		return c.Task == task && c.Measure == measure
	}
	return c.Task == "FollowIR" && c.Measure == r["check"]
}

// readCSV reads an embedded file that must have the given columns.
func readCSV(name string, columns []string) ([]map[string]string, error) {
	f, err := paperFiles.Open(path.Join("paper", name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if got, want := strings.Join(records[0], ","), strings.Join(columns, ","); got != want {
		return nil, fmt.Errorf("%s:1: columns %s, want %s", name, got, want)
	}
	rows := make([]map[string]string, 0, len(records)-1)
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range columns {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}
