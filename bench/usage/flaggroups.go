package usage

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// Headings of flags in help and manual pages, in the order in which they stand there.
const (
	WhatFlags    = "What to run"
	DataFlags    = "Data"
	ModelFlags   = "Model"
	TrialFlags   = "Which trials"
	ActiveFlags  = "Rounds of trials"
	MineFlags    = "Which negatives"
	MeasureFlags = "What is measured"
	VectorFlags  = "Vectors and search"
	IndexFlags   = "Search through a server"
	RemoteFlags  = "Remote model"
	ChatFlags    = "Language model"
	SpendFlags   = "Requests, cost and kept answers"
	TableFlags   = "Layout of tables"
	CompareFlags = "Comparison"
	PullFlags    = "Comment on a pull request"
	TrecFlags    = "As trec_eval"
	PairFlags    = "Pairs of runs"
	EngineFlags  = "Where trials run"
	ClusterFlags = "Kubernetes"
	FailureFlags = "Failures and checkpoints"
	OutputFlags  = "Output"
	MachineFlags = "Machine"
)

var headings = []string{
	WhatFlags, DataFlags, ModelFlags, TrialFlags, ActiveFlags, MineFlags, MeasureFlags, VectorFlags, IndexFlags, RemoteFlags, ChatFlags, SpendFlags,
	TableFlags, CompareFlags, PullFlags, TrecFlags, PairFlags, EngineFlags, ClusterFlags, FailureFlags, OutputFlags, MachineFlags,
}

// groupKey is the annotation of a flag that holds its heading.
const groupKey = "infbench_group"

// Group puts the flags that were declared so far, and are under no heading yet, under one.
func Group(f *pflag.FlagSet, heading string) {
	if !slices.Contains(headings, heading) {
		panic(fmt.Sprintf("flags under an unknown heading %q", heading))
	}
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[groupKey] == nil {
			flag.Annotations = map[string][]string{groupKey: {heading}}
		}
	})
}

// FlagGroup is flags under a heading; those that no call of Group named have none.
type FlagGroup struct {
	Heading string
	Flags   *pflag.FlagSet
}

// FlagGroups are the flags that help shows, by heading, those without one last.
func FlagGroups(f *pflag.FlagSet) (all []FlagGroup) {
	for _, heading := range append(slices.Clone(headings), "") {
		g := FlagGroup{heading, pflag.NewFlagSet(heading, pflag.ContinueOnError)}
		f.VisitAll(func(flag *pflag.Flag) {
			at := ""
			if named := flag.Annotations[groupKey]; named != nil {
				at = named[0]
			}
			if at == heading && !flag.Hidden {
				g.Flags.AddFlag(flag)
			}
		})
		if g.Flags.HasFlags() {
			all = append(all, g)
		}
	}
	return all
}
