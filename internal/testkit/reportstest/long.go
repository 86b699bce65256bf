package reportstest

import (
	"strings"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// LongNames are names of models of a hundred characters: paths with equal last parts, a folder
// with a long name, a repository, and one word.
var LongNames = []string{
	longName("/srv/models/2026-07-01", "checkpoints/final"),
	longName("/srv/models/2026-07-02", "checkpoints/final"),
	longName("/srv/models/2026-07-03", "checkpoints/best"),
	longName("models/instruction-following/seed-1/lr-5e-3", "model"),
	longName("/srv/", ""),
	longName("an-organisation-with-a-long-name/embedding-model-", "-instruct-v2"),
	longName("another-organisation/embedding_model_", "_v3"),
	longName("", ""),
}

// longName fills a name with a word up to a hundred characters.
func longName(start, end string) string {
	word := "contrastive-instruction-tuned-retriever-of-the-summer-with-hard-negatives-and-a-long-description-of-it-all"
	switch {
	case start == "" && end == "":
		word = strings.Repeat("Xx", 50)
	case strings.HasPrefix(start, "/srv/models") || end == "model":
		start, end = start+"/", "/"+end
	}
	return start + word[:100-len(start)-len(end)] + end
}

// Long returns an experiment with systems of LongNames, some with labels.
func Long() *results.Experiment {
	e := &results.Experiment{Name: "long-names"}
	add := func(config map[string]string, lift float64, labels ...spec.ValueLabel) {
		config["world"] = "1"
		t := fixtureTrial(config, lift, uint64(500+len(e.Trials)))
		t.Labels = labels
		if config["loss"] != "" {
			t.Curve = fixtureCurve(1.2+lift, uint64(len(e.Trials)))
		}
		e.Trials = append(e.Trials, t)
	}
	for i, name := range LongNames {
		add(map[string]string{"model": name}, .3-float64(i)/40)
	}
	add(map[string]string{"model": LongNames[0], "first": "bm25", "depth": "100", "similarity": "dot"}, .3)
	add(map[string]string{"model": LongNames[4], "first": LongNames[1], "depth": "100"}, .25, spec.ValueLabel{Key: spec.SystemKey, Label: "reranked"})
	for i, loss := range []string{"uni(P)", "multi(P,I)"} {
		for j, backbone := range []string{LongNames[2], LongNames[6], "tiny-bert"} {
			for _, rate := range []string{"0.005", "0.001"} {
				add(map[string]string{"model": backbone, "backbone": backbone, "loss": loss, "seed": "1", "data": "mini-infir", "interaction": "concat", "train.lr": rate, "design.join": "{query} {instruction}"}, float64(i+j)/10)
			}
		}
	}
	add(map[string]string{"model": "untrained", "seed": "1", "data": "mini-infir", "backbone": "tiny-bert", "interaction": "concat"}, 0)
	add(map[string]string{"model": "bm25"}, .2)
	return e
}
