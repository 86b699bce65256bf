package main

import "context"

// bout is work that several sides do in turn on the same inputs.
type bout struct {
	name  string
	note  string // how the sides differ, or what else to know about the work
	rows  []row
	sides []side // ours first

	// shared are the files of the reference data from which the inputs are made.
	shared []string
	// prepare writes the inputs into the job's folder and sets job.Timed, Warm and the like.
	// It runs in a separate process: memory of this one would count as that of its children.
	prepare func(ctx context.Context, j *job) error
	// check compares the output of a peer's side in the folder with that of ours.
	check func(j *job, ours, theirs string) error
}

// row is a line of the table: one measure of our side and one of another.
type row struct {
	name, work   string
	side         int    // side of the bout to compare with ours
	ours, theirs string // measures, as sides name them
}

// side is one program's part of a bout. It writes its output to files whose names begin with
// its name.
type side struct {
	name  string
	title string // of the program
	peer  *peer  // whose program it needs; nil: only ours
	// argv is its command line.
	argv func(k *kit, dir string) []string
	// silent is set if the process prints no answer and is measured from start to end.
	//
	silent bool
}

// total is the measure of a side that is measured from start to end.
const total = "total"

// oursBy returns our side with that name, in this program.
func oursBy(name string) side {
	return side{name: name, title: "infbench", argv: func(k *kit, dir string) []string { return []string{k.self, sideWord, name, dir} }}
}

// theirsBy returns a side that is a script.
func theirsBy(name string, p *peer, script string) side {
	return side{name: name, title: p.name, peer: p, argv: func(k *kit, dir string) []string { return append(p.command(k, script), dir) }}
}

// bouts lists what can be compared, in the order of the table.
func bouts() []bout {
	return []bout{
		encodeBout(), abstractsBout(), trainBout(), trainSmallBout(), chunkedBout(),
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
