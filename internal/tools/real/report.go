package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/words"
)

// page is the name of the page in the folder of the leaderboard.
const page = "report.html"

// report writes and verifies the page, and prints leaderboard, costs and the comparison with
// MTEB's record. A number that differs from the record is an error.
func (b *board) report(ctx context.Context) error {
	record, err := b.published()
	if err != nil {
		return err
	}
	args := append([]string{"report", "--published", record}, b.runs...)
	check := []string{"verify", page, "--published", record}
	for _, dir := range b.runs {
		check = append(check, "--runs", dir)
	}
	if err := errors.Join(
		b.run(ctx, b.stdout, append([]string{"report"}, b.runs...)...),
		b.run(ctx, b.stdout, append(args, "--format", "html", "--out", page)...),
		b.run(ctx, b.stdout, check...),
		b.costs()); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := b.run(ctx, &out, append(args, "--format", "json")...); err != nil {
		return err
	}
	return b.verdicts(out.Bytes())
}

// costs prints how long each evaluation took, and its processor time.
func (b *board) costs() error {
	fmt.Fprintf(b.stdout, "\n%-24s %8s %8s %10s\n", "evaluation", "s", "CPU s", "peak MiB")
	for _, dir := range b.runs {
		var p struct {
			Seconds map[string]float64 `json:"seconds"`
			CPU     map[string]float64 `json:"cpu_seconds"`
			Peak    float64            `json:"peak_rss_bytes"`
		}
		content, err := os.ReadFile(filepath.Join(b.out, dir, "provenance.json"))
		if err == nil {
			err = json.Unmarshal(content, &p)
		}
		if err != nil {
			return fmt.Errorf("costs of %s: %w", dir, err)
		}
		fmt.Fprintf(b.stdout, "%-24s %8.0f %8.0f %10.0f\n", filepath.Base(dir), p.Seconds["total"], p.CPU["total"], p.Peak/(1<<20))
	}
	return nil
}

// verdicts prints infbench's comparison with published numbers from its report in JSON.
func (b *board) verdicts(report []byte) error {
	var r struct {
		Sections []struct {
			ID     string
			Text   []string
			Tables []struct {
				Columns []string
				Rows    [][]struct{ Text string }
				Notes   []string
			}
		}
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return fmt.Errorf("report in JSON: %w", err)
	}
	counts := map[string]int{}
	for _, s := range r.Sections {
		if s.ID != "beside" {
			continue
		}
		for _, t := range s.Tables {
			fmt.Fprintf(b.stdout, "\n%-18s %-14s %-10s %10s %10s %10s  %s\n", "system", "test", "scoring", "measured", "published", "delta", "verdict")
			for _, row := range t.Rows {
				of := func(column string) string { return row[slices.Index(t.Columns, column)].Text }
				fmt.Fprintf(b.stdout, "%-18s %-14s %-10s %10s %10s %10s  %s\n", of("system"), of("test"), of("scoring"), of("measured"), of("published"), of("delta"), of("verdict"))
				kind, _, _ := strings.Cut(of("verdict"), ":")
				counts[kind]++
			}
			fmt.Fprintln(b.stdout, strings.Join(t.Notes, "\n"))
		}
		fmt.Fprintln(b.stdout, strings.Join(s.Text, "\n"))
	}
	if counts["differs"] > 0 {
		return errors.New(words.Plural(counts["differs"], "number differs", "numbers differ") + " from MTEB's record")
	}
	return nil
}
