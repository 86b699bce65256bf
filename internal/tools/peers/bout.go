package main

import (
	"context"
	"path/filepath"
)

// bout is work that several sides do in turn on the same inputs.
type bout struct {
	name  string
	note  string // how the sides differ, or what else to know about the work
	rows  []row
	sides []side // ours first

	// shared are the files of the reference data from which the inputs are made.
	shared []string
	// ready gets the bout's pretrained network and sets job.Model, or returns pyenv.Absent if
	// the bout cannot run on this machine. It may be nil.
	ready func(ctx context.Context, k *kit, j *job) error
	// prepare writes the inputs into the job's folder and sets job.Timed, Warm and the like.
	// It runs in a separate process: memory of this one would count as that of its children.
	prepare func(ctx context.Context, j *job) error
	// check compares the output of a peer's side in the folder with that of ours.
	check func(j *job, ours, theirs string) error
}

// row is a line of the table: one measure of our side, and one of the fastest of other sides.
type row struct {
	name, work   string
	against      []int  // sides of the bout to compare with ours
	ours, theirs string // measures, as sides name them
}

// side is one program's part of a bout. It writes its output to files whose names begin with
// its name.
type side struct {
	name    string
	title   string // of the program
	variant string // how the program works, if a row compares with several ways
	peer    *peer  // which it needs; nil: only ours
	// argv is its command line.
	argv func(k *kit, dir string) []string
	// silent is set if the process reports no times and is measured from start to end.
	silent bool
}

// total is the measure of a side that is measured from start to end.
const total = "total"

// oursBy returns our side with that name, in this program.
func oursBy(name string) side {
	return side{name: name, title: "infbench", argv: func(k *kit, dir string) []string { return []string{k.self, sideWord, name, dir} }}
}

// theirsBy returns a side that is a script in Python, with its options.
func theirsBy(name, title, script string, options ...string) side {
	return side{name: name, title: title, peer: python, argv: func(k *kit, dir string) []string {
		return append([]string{k.python, filepath.Join(k.theirs, script), dir, name}, options...)
	}}
}

// torchBy returns both sides of a script for PyTorch, which runs it as it is and compiled.
func torchBy(name, script string, options ...string) []side {
	eager := theirsBy(name, "PyTorch", script, append([]string{"eager"}, options...)...)
	compiled := theirsBy(name+"_compiled", "PyTorch", script, append([]string{"compiled"}, options...)...)
	eager.variant, compiled.variant, compiled.peer = "eager", "compiled", pythonAndCompiler
	return []side{eager, compiled}
}

// bouts lists what can be compared, in the order of the table.
func bouts() []bout {
	return []bout{
		encodeBout(), bfloat16Bout(), abstractsBout(), trainBout(), trainSmallBout(), chunkedBout(),
		searchBout(), scoreBout(), bm25Bout(), tokenizeBout(), parquetBout(),
	}
}

// boutNames are the names by which rows are chosen.
func boutNames() []string {
	var names []string
	for _, b := range bouts() {
		names = append(names, b.name)
	}
	return append(names, ownName)
}
