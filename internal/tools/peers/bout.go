package main

import "context"

// bout is work that several sides do in turn on the same inputs.
type bout struct {
	name  string
	note  string // what differs between the sides, or has to be known of the work
	rows  []row
	sides []side // ours first

	// shared are the files of the reference data that the inputs are made of.
	shared []string
	// prepare writes the inputs and job.Timed, Warm and the like into the job's folder, in
	// a process of its own: the memory of this one would count as that of its children.
	prepare func(ctx context.Context, j *job) error
	// check compares what a peer's side left in the folder with what ours did.
	check func(j *job, ours, theirs string) error
}

// row is a line of the table: one measure of our side and one of another.
type row struct {
	name, work   string
	side         int    // of the bout, which ours is compared with
	ours, theirs string // measures, as sides name them
}

// side is one program's part of a bout. What it computes it leaves in files that begin
// with its name.
type side struct {
	name  string
	title string // of the program
	peer  *peer  // whose program it needs; nil: none but ours
	// argv is its command line.
	argv func(k *kit, dir string) []string
	// whole says that the process prints no answer and is measured from start to end.
	whole bool
}

// total is the measure of a side that is measured as a whole.
const total = "total"

// oursBy is our side of that name, in this program.
func oursBy(name string) side {
	return side{name: name, title: "infbench", argv: func(k *kit, dir string) []string { return []string{k.self, sideWord, name, dir} }}
}

// theirsBy is a script's side.
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

// boutNames are the names that rows are chosen by.
func boutNames() []string {
	var names []string
	for _, b := range bouts() {
		names = append(names, b.name)
	}
	return append(names, ownName)
}
