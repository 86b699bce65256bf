package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/reports/contrast"
	"infbench/reports/diff"
	"infbench/reports/words"
)

func diffCommand() *cobra.Command {
	top, format := 0, ""
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Say why two runs differ",
		Long: `Compare two run folders or HTML reports: first what may be the cause, in order
(data revision, qrels, instruction text, joining order, max length, dtype, pooling,
tie policy, measure version, then configuration, weights and machine), then the
numbers that moved, tested query by query, with the queries that moved most.

Systems are the same where their configurations are, seeds aside, else where they
are called the same, else where each side has one left. What a side does not record
is said, never taken for equal; a report says less than a run folder.`,
		Example: `  infbench diff runs/monday runs/tuesday
  infbench diff leaderboard.html runs/demo --format json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usage.Errorf("diff: --format %s: want text or json", format)
			}
			return diffSets(args[0], args[1], top, format, cmd.OutOrStdout())
		},
	}
	cmd.Flags().IntVar(&top, "top", 20, "numbers to show")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

// diffSets prints why B is not A.
func diffSets(a, b string, top int, format string, out io.Writer) error {
	if top < 0 {
		return usage.Errorf("diff: --top %d: want 0 or more", top)
	}
	var sets [2][]*results.Experiment
	facts := map[string]diff.Facts{}
	for i, name := range []string{a, b} {
		exps, err := loadSet(name)
		if err != nil {
			return err
		}
		if err := addFacts(exps, facts); err != nil {
			return err
		}
		sets[i] = exps
	}
	c, err := diff.Compare(sets[0], sets[1], true, contrast.Options{})
	if err != nil {
		return err
	}
	if format == "json" {
		return writeJSON(out, c.JSON(facts))
	}
	fmt.Fprintf(out, "before: %s\nafter:  %s\n\n", words.Clean(a), words.Clean(b))
	return diff.WriteDiff(out, c, facts, top)
}

// addFacts reads what the folders of trials say beyond results: texts of
// queries, and how the model reads them.
func addFacts(exps []*results.Experiment, facts map[string]diff.Facts) error {
	for _, exp := range exps {
		if exp.Dir == "" {
			continue // of an HTML report
		}
		if err := runs.AddQueries([]*results.Experiment{exp}); err != nil {
			return err
		}
		for i := range exp.Trials {
			t := &exp.Trials[i]
			if t.State == results.Done {
				facts[t.ID] = folderFacts(runs.FolderOf(exp, t))
			}
		}
	}
	return nil
}

// folderFacts reads the model folder of a trial; what is not there is not
// recorded.
func folderFacts(dir string) diff.Facts {
	facts := diff.Facts{}
	if _, err := os.Stat(filepath.Join(dir, results.RunsDir)); err == nil {
		facts[diff.FactTies] = "score, then document ID, both descending" // of every ranking that this program saves
	}
	model := filepath.Join(dir, results.ModelDir)
	say := func(fact, file string, keys ...string) {
		if text := settingsIn(filepath.Join(model, file), keys...); text != "" {
			facts[fact] = text
		}
	}
	say(diff.FactJoining, "infbench.json", "query", "query_without_instruction", "document", "document_without_title")
	say(diff.FactLength, "infbench.json", "max_query_tokens", "max_document_tokens")
	say(diff.FactDtype, "config.json", "dtype", "torch_dtype")
	say(diff.FactPooling, filepath.Join("1_Pooling", "config.json"))
	if sum, _, err := atomicfile.SHA256(filepath.Join(model, "model.safetensors")); err == nil {
		facts[diff.FactWeights] = sum
	}
	return facts
}

// settingsIn words keys of a JSON file, all of them where none is named; "" where
// there is no such file.
func settingsIn(path string, keys ...string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil {
		return ""
	}
	if keys == nil {
		whole, err := json.Marshal(object) // keys in order
		if err != nil {
			return ""
		}
		return string(whole)
	}
	var words []string
	for _, key := range keys {
		if value, ok := object[key]; ok {
			words = append(words, key+"="+string(value))
		}
	}
	return strings.Join(words, " ")
}
