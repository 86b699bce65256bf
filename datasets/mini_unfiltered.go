package datasets

// MiniUnfiltered is the training set that MiniTraining was filtered from: its records mixed with
// others that a judge would reject. The proportion is the paper's: 38,759 kept of about 100,000.
const MiniUnfiltered = "mini-infir-unfiltered"

// miniUnfilteredRecords is MiniRecords divided by the share that the paper keeps.
const miniUnfilteredRecords = MiniRecords * 100_000 / 38_759

// unfilteredSource spoils the records that follow those of MiniInfIR and mixes both.
// For each of a record's three pairs of query and instruction the judge asks whether its own
// passage fits best. Each way of spoiling makes another passage fit best:
//
//   - the passages of the two instructions are exchanged, as if a model had misunderstood
//     the instruction;
//   - the passage for the changed instruction, or the one for the changed query, is
//     about something else.
func unfilteredSource(world uint64) []Triplet {
	all := MiniInfIRSized(world, miniUnfilteredRecords)
	r := newMiniWorld(world).random(MiniUnfiltered)
	spoilt := all[MiniRecords:]
	first := spoilt[0]
	for i := range spoilt {
		next := first // for the last record
		if i+1 < len(spoilt) {
			next = spoilt[i+1]
		}
		t := &spoilt[i]
		switch r.IntN(3) {
		case 0:
			t.Positive, t.HardNegative1 = t.HardNegative1, t.Positive
		case 1:
			t.HardNegative1 = next.HardNegative1
		case 2:
			t.HardNegative2 = next.HardNegative2
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
