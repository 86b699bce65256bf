// Package flags declares the flags that several verbs share, as options of lower packages, and
// groups the flags of a verb under headings.
package flags

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// Headings of flags in help and manual pages, in the order in which they appear.
const (
	TrialFlags   = "Trials to run"
	DataFlags    = "Data"
	ModelFlags   = "Model"
	ActiveFlags  = "Active sweep"
	MiningFlags  = "Negatives"
	MeasureFlags = "Measures"
	MapFlags     = "The map"
	TrecFlags    = "As trec_eval"
	TestFlags    = "Tests"
	PairFlags    = "Pairs of an original and a changed instruction"
	VectorFlags  = "Vectors and search"
	IndexFlags   = "Search through a server"
	RemoteFlags  = "Remote model"
	ChatFlags    = "Language model"
	AskingFlags  = "Keys, cost and kept answers of endpoints"
	ShownFlags   = "View"
	LayoutFlags  = "Tables of your own"
	CommentFlags = "Comment on a pull request"
	EngineFlags  = "Where trials run"
	ClusterFlags = "Kubernetes"
	FailureFlags = "Failures and checkpoints"
	OutputFlags  = "Output"
	MachineFlags = "Machine"
)

// headings begins with the heading of flags without a Group.
var headings = []string{
	"", TrialFlags, DataFlags, ModelFlags, ActiveFlags, MiningFlags, MeasureFlags, MapFlags, TestFlags, TrecFlags, PairFlags, VectorFlags, IndexFlags, RemoteFlags,
	ChatFlags, AskingFlags, ShownFlags, LayoutFlags, CommentFlags, EngineFlags, ClusterFlags, FailureFlags, OutputFlags, MachineFlags,
}

// headingKey is the annotation that stores a flag's heading.
const headingKey = "infbench_heading"

// Group puts the flags that declare adds to f under a heading, except those that declare itself
// puts under another.
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

// Heading returns the heading of a flag; "" if it has none.
func Heading(flag *pflag.Flag) string {
	if named := flag.Annotations[headingKey]; len(named) > 0 {
		return named[0]
	}
	return ""
}

// Headed is a heading with its flags.
type Headed struct {
	Heading string
	Flags   *pflag.FlagSet
}

// ByHeading returns the visible flags by heading. If --help is the only flag without a heading,
// it is added to the last group.
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
