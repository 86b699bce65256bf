package published

import (
	"embed"
	"encoding/csv"
	"fmt"
	"path"
	"strconv"
	"strings"
)

//go:embed paper/*.csv
var paperFiles embed.FS

// SourcePaper begins the Source of every cell of the paper's tables.
const SourcePaper = "InF-IR"

// Paper returns tables 2 to 6 of "Towards Better Instruction Following
// Retrieval Models" (arXiv 2505.21439) as printed. Numbers that contradict
// others of the paper have a footnote. Scores follow mteb 1.x, which holds the
// original instructions' ranking against the changed judgments: its row for
// e5-base-v2 is that of mteb 1.18.
func Paper() (*Collection, error) {
	c := &Collection{Source: SourcePaper}
	for _, table := range []string{"2", "3", "4", "5", "6"} {
		rows, err := readCSV("table"+table+".csv", []string{"table", "row", "model", "config", "dataset", "metric", "value", "raw", "note"})
		if err != nil {
			return nil, err
		}
		c.Files++
		for i, r := range rows {
			if err := c.addPrinted(table, r); err != nil {
				return nil, fmt.Errorf("table%s.csv:%d: %w", table, i+2, err)
			}
		}
	}
	if err := c.footnotes(); err != nil {
		return nil, err
	}
	return c, nil
}

// addPrinted adds one number of a table.
func (c *Collection) addPrinted(table string, r map[string]string) error {
	cell := Cell{
		Source: SourcePaper + ", table " + table, Model: r["model"], Config: r["config"],
		Task: r["dataset"], Measure: paperMeasures[r["metric"]], File: "table" + table + ".csv",
	}
	if cell.Measure == "" {
		return fmt.Errorf("metric %q is unknown", r["metric"])
	}
	if r["value"] == "" {
		c.Missing = append(c.Missing, Missing{cell.Model, "", cell.Task, cell.File, "not printed"})
		return nil
	}
	v, err := strconv.ParseFloat(r["value"], 64)
	if err != nil {
		return err
	}
	_, decimals, _ := strings.Cut(r["value"], ".")
	cell.Value, cell.Tolerance = v/100, 0.005
	for range decimals {
		cell.Tolerance /= 10
	}
	if !strings.HasPrefix(r["note"], "printed label") && !strings.HasPrefix(r["note"], "group:") && r["note"] != "" {
		cell.Footnotes = append(cell.Footnotes, r["note"])
	}
	if _, part := mainMeasures[cell.Task+"InstructionRetrieval"]; part || cell.Task == "FollowIR" {
		cell.Conventions = Conventions{Ties: TiesByInsertion, Version: "mteb 1.x", Why: "e5-base-v2's row equals mteb 1.18's"}
		if cell.Measure != "p-MRR" {
			cell.Side, cell.Conventions.Qrels = "original", "changed"
			cell.Main = part
		}
	}
	c.Cells = append(c.Cells, cell)
	return nil
}

// paperMeasures by the paper's column heads. Score is the mean of FollowIR's
// two MAPs and one nDCG.
var paperMeasures = map[string]string{
	"MAP": "AP@1000", "nDCG@5": "nDCG@5", "nDCG@10": "nDCG@10", "nDCG@10 mean": "nDCG@10",
	"p-MRR": "p-MRR", "score": "score",
}

// footnotes marks the numbers of violations.csv: those that do not follow from
// other numbers of the paper.
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
		for j := range c.Cells {
			if c.Cells[j].contradicted(r) {
				c.Cells[j].Footnotes = append(c.Cells[j].Footnotes, doubt)
				marked++
			}
		}
		if marked == 0 && !strings.HasPrefix(r["row"], "Average/") {
			return fmt.Errorf("violations.csv:%d: no printed number is meant", i+2)
		}
	}
	return nil
}

// contradicted tells whether a row of violations.csv is about a cell.
func (c *Cell) contradicted(r map[string]string) bool {
	tables := strings.Split(r["table"], "vs")
	row, config, _ := strings.Cut(r["row"], "/")
	about := false
	for _, t := range tables {
		about = about || c.Source == SourcePaper+", table "+t
	}
	named := c.Model == row && (config == "" || c.Config == config) ||
		row == fmt.Sprintf("%s (%s)", c.Config, c.Model) // table 5's way to write a row of table 2
	if !about || !named {
		return false
	}
	if task, measure, ok := strings.Cut(r["check"], " "); ok {
		return c.Task == task && c.Measure == measure
	}
	return c.Task == "FollowIR" && c.Measure == r["check"]
}

// readCSV reads an embedded file whose columns must be these.
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
