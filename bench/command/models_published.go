package command

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"infbench/bench/output"
	"infbench/internal/words"
	"infbench/reports/published"
	"infbench/runners"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// modelVerdict records whether a model of published results can be run.
type modelVerdict struct {
	Model        string `json:"model"`
	Verdict      string `json:"verdict"`
	Architecture string `json:"architecture,omitempty"`
	Why          string `json:"why,omitempty"`    // why it is refused
	Source       string `json:"source,omitempty"` // source of the architecture
}

// Verdicts.
const (
	runnable    = "runs"
	refused     = "refused"
	notRecorded = "architecture not recorded"
)

// modelVerdicts are the verdicts for all models of a collection.
type modelVerdicts struct {
	Models      int            `json:"models"`
	Runs        int            `json:"runs"`
	Refused     int            `json:"refused"`
	NotRecorded int            `json:"architecture_not_recorded"`
	Scoreless   int            `json:"models_without_scores"` // not among Models
	List        []modelVerdict `json:"verdicts"`
}

// checkPublished writes a verdict for every model of MTEB's result files.
func checkPublished(w io.Writer, folder, format string) error {
	scored, scoreless, err := publishedModels(folder)
	if err != nil {
		return err
	}
	cards, err := encoder.Cards()
	if err != nil {
		return err
	}
	byRepository := map[string]*encoder.Card{}
	for i := range cards {
		byRepository[strings.ToLower(cards[i].Repository)] = &cards[i]
	}
	all := modelVerdicts{Models: len(scored), Scoreless: len(scoreless)}
	for _, model := range scored {
		v := modelVerdict{Model: model, Verdict: notRecorded}
		if architecture, ok := architectureOf(model, byRepository); ok {
			v = judgeModel(model, architecture)
		}
		switch v.Verdict {
		case runnable:
			all.Runs++
		case refused:
			all.Refused++
		default:
			all.NotRecorded++
		}
		all.List = append(all.List, v)
	}
	return output.Print(w, format, all, all.sheet())
}

// publishedModels returns two lists of models in MTEB's result files (a folder, one archive,
// or a folder of archives): models with the score of a task, and models without any score.
func publishedModels(folder string) (scored, scoreless []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.tar.gz"))
	if err != nil {
		return nil, nil, err
	}
	if len(paths) == 0 {
		paths = []string{folder}
	}
	for _, path := range paths {
		c, err := published.ReadMTEB(path)
		if err != nil {
			return nil, nil, err
		}
		for i := range c.Cells {
			if c.Cells[i].Main {
				scored = append(scored, c.Cells[i].Model)
			}
		}
		for _, m := range c.Missing {
			scoreless = append(scoreless, m.Model)
		}
	}
	slices.Sort(scored)
	slices.Sort(scoreless)
	scored = slices.Compact(scored)
	scoreless = slices.DeleteFunc(slices.Compact(scoreless), func(model string) bool { return slices.Contains(scored, model) })
	return scored, scoreless, nil
}

// architectureOf returns a model's recorded architecture, else that of its card.
func architectureOf(model string, cards map[string]*encoder.Card) (published.Architecture, bool) {
	if a, ok := published.ArchitectureOf(model); ok {
		return a, true
	}
	card := cards[strings.ToLower(model)]
	if card == nil {
		return published.Architecture{}, false
	}
	a := published.Architecture{Kind: published.Network, Name: card.Architecture, Source: "card " + card.Name}
	if card.Kind == "remote" {
		a.Kind = published.Interface
		a.Name, _, _ = strings.Cut(card.Repository, "/")
	}
	return a, a.Name != ""
}

// judgeModel reports whether infbench builds the network that a model needs.
func judgeModel(model string, a published.Architecture) modelVerdict {
	v := modelVerdict{Model: model, Verdict: refused, Architecture: a.Name, Source: a.Source}
	built := false
	switch a.Kind {
	case published.Network:
		built = encoder.HasNetwork(a.Name)
		v.Why = "no network of model_type " + a.Name
	case published.Interface:
		built = slices.Contains(runners.RemoteAPIs(), a.Name)
		v.Architecture, v.Why = "interface of "+a.Name, "weights are not published, and infbench does not speak the interface of "+a.Name
	case published.Baseline:
		_, built = spec.FindBaseline(a.Name)
		v.Architecture, v.Why = "baseline "+a.Name, "no baseline "+a.Name
	}
	switch {
	case built && a.Obstacle == "":
		v.Verdict, v.Why = runnable, ""
	case built:
		v.Why = a.Obstacle
	case a.Obstacle != "":
		v.Why += "; " + a.Obstacle
	}
	return v
}

// sheet lays the verdicts out.
func (v *modelVerdicts) sheet() output.Sheet {
	known := v.Runs + v.Refused
	s := output.Sheet{
		Title: fmt.Sprintf("%d models of published results", v.Models),
		Head:  []string{"model", "verdict", "architecture", "why not"},
		Left:  4,
		Notes: []string{
			fmt.Sprintf("%d run, %d refused, %d whose architecture is not recorded", v.Runs, v.Refused, v.NotRecorded),
			"runs: infbench has a network for its architecture, or a client for its interface; no folder was read (models check NAME reads one)",
		},
	}
	if known > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d have a recorded architecture; %s%% of these run", known, words.Fixed(100*float64(v.Runs)/float64(known), 1)))
	}
	if v.Scoreless > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d more models have files without the score of a task, and are not judged", v.Scoreless))
	}
	for _, one := range v.List {
		s.Rows = append(s.Rows, []string{one.Model, one.Verdict, one.Architecture, one.Why})
	}
	return s
}
