// Package catalog turns a name in a file or flag (a benchmark, a training
// corpus, a model, a card, a folder, ORG/NAME) into data or a model of a known
// revision. It opens and pins; nothing is trained or scored here.
package catalog

import (
	"infbench/datasets"
	"infbench/runners/spec"
	"infbench/training"
	"infbench/training/encoder"
)

// Known lists the names an experiment file may use.
func Known() spec.Known {
	return spec.Known{
		Losses: func(name string) (string, error) {
			l, err := training.ParseLoss(name)
			if err != nil {
				return "", err
			}
			return training.NameOf(l), nil
		},
		Data:         CheckData,
		Backbone:     func(name string) (string, error) { return modelName(name), CheckBackbone(name) },
		Interactions: encoder.Interactions(),
		Baselines:    spec.BaselineNames(),
		Benchmarks:   datasets.Names(),
		Collection:   checkCollection,
		Task:         checkTask,
		Model:        checkModel,
		Ranking:      checkRanking,
		Chat:         checkChat,
	}
}
