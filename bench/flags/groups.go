// Package flags declares the flags that several verbs share, over the plain options of
// the packages below, and groups the flags of a verb under headings.
package flags

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// Headings of flags in help and in manual pages, in the order in which they stand there.
const (
	WhatFlags    = "What to run"
	DataFlags    = "Data"
	ModelFlags   = "Model"
	ActiveFlags  = "In rounds"
	MiningFlags  = "Which negatives"
	MeasureFlags = "What is measured"
	MapFlags     = "The map"
	TrecFlags    = "As trec_eval"
	TestFlags    = "Tests"
	PairFlags    = "Pairs of an original and a changed instruction"
	VectorFlags  = "Vectors and search"
	IndexFlags   = "Search through a server"
	RemoteFlags  = "Remote model"
	ChatFlags    = "Language model"
	AskingFlags  = "Keys, cost and kept answers of endpoints"
	ShownFlags   = "What is shown"
	LayoutFlags  = "Tables of your own"
	CommentFlags = "Comment on a pull request"
	EngineFlags  = "Where trials run"
	ClusterFlags = "Kubernetes"
	FailureFlags = "Failures and checkpoints"
	OutputFlags  = "Output"
	MachineFlags = "Machine"
)

// headings starts with that of flags that no Group has.
var headings = []string{
	"", WhatFlags, DataFlags, ModelFlags, ActiveFlags, MiningFlags, MeasureFlags, MapFlags, TestFlags, TrecFlags, PairFlags, VectorFlags, IndexFlags, RemoteFlags,
	ChatFlags, AskingFlags, ShownFlags, LayoutFlags, CommentFlags, EngineFlags, ClusterFlags, FailureFlags, OutputFlags, MachineFlags,
}

// headingKey is the annotation of a flag that holds its heading.
const headingKey = "infbench_heading"

// Group puts the flags that declare adds to f under a heading, but those that it puts
// under another.
func Group(f *pflag.FlagSet, heading string, declare func()) {
	if !slices.Contains(headings, heading) {
		panic(fmt.Sprintf("flags under an unknown heading %q", heading))
	}
	before := map[string]bool{}
	f.VisitAll(func(flag *pflag.Flag) { before[flag.Name] = true })
	declare()
	f.VisitAll(func(flag *pflag.Flag) {
		if !before[flag.Name] && Heading(flag) == "" {
			flag.Annotations = map[string][]string{headingKey: {heading}}
		}
	})
}

// Heading is that of a flag; "" of one that no Group has.
func Heading(flag *pflag.Flag) string {
	if named := flag.Annotations[headingKey]; len(named) > 0 {
		return named[0]
	}
	return ""
}

// Headed is the flags under a heading.
type Headed struct {
	Heading string
	Flags   *pflag.FlagSet
}

// ByHeading are the flags that help shows, by heading. Where all others have one, --help
// stands with the last.
func ByHeading(f *pflag.FlagSet) (all []Headed) {
	for _, heading := range headings {
		g := Headed{heading, pflag.NewFlagSet(heading, pflag.ContinueOnError)}
		f.VisitAll(func(flag *pflag.Flag) {
			if Heading(flag) == heading && !flag.Hidden {
				g.Flags.AddFlag(flag)
			}
		})
		if g.Flags.HasFlags() {
			all = append(all, g)
		}
	}
	if len(all) > 1 && all[0].Heading == "" && all[0].Flags.Lookup("help") != nil {
		n := 0
		all[0].Flags.VisitAll(func(*pflag.Flag) { n++ })
		if n == 1 {
			all[len(all)-1].Flags.AddFlagSet(all[0].Flags)
			all = all[1:]
		}
	}
	return all
}
