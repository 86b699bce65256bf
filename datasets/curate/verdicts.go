package curate

import (
	"iter"
	"slices"

	"infbench/internal/nearest"
)

// The files of a curated corpus with the judges' verdicts on its records.
const (
	UnfilteredFile = "unfiltered.jsonl" // all judged records
	JudgedFile     = "judged.jsonl"     // questions with the pick of each judge
)

// Names of joint judges. People count only under their own names.
const (
	Majority  = "majority"  // more than half of the asked judges
	Unanimous = "unanimous" // all asked judges, at least one
	Last      = "last"      // the judge asked last: a further one if the earlier ones were unsure
	Nobody    = "none"      // every record is kept
)

// together are the names of joint judges.
var together = []string{Majority, Unanimous, Last, Nobody}

// Kept returns the IDs of the records that a judge, or several together, keep: all three scenarios
// were answered right. An unknown judge is a *nearest.UnknownError.
func Kept(questions iter.Seq2[Question, error], by string) (map[string]bool, error) {
	judges, right := map[string]bool{}, map[string]map[Scenario]bool{}
	for q, err := range questions {
		if err != nil {
			return nil, err
		}
		for _, p := range q.Picks {
			judges[p.Judge] = true
		}
		if right[q.Record] == nil {
			right[q.Record] = map[Scenario]bool{}
		}
		if q.AnsweredRight(by) {
			right[q.Record][q.Scenario] = true
		}
	}
	if !judges[by] && !slices.Contains(together, by) {
		return nil, unknownJudge(by, judges)
	}
	kept := map[string]bool{}
	for record, scenarios := range right {
		if by == Nobody || scenarios[Original] && scenarios[PoisonedInstruction] && scenarios[PoisonedQuery] {
			kept[record] = true
		}
	}
	return kept, nil
}

func unknownJudge(name string, judges map[string]bool) error {
	var known []string
	for judge := range judges {
		known = append(known, judge)
	}
	slices.Sort(known)
	return nearest.Unknown("judge", name, append(known, together...))
}

// AnsweredRight reports whether a judge, or several together, chose the right candidate.
func (q *Question) AnsweredRight(by string) bool {
	answer, asked, right := q.Answer(), 0, 0
	if answer == None {
		return false
	}
	for _, p := range q.Picks {
		if by == Last && !p.Human {
			asked, right = 0, 0
		}
		if by == p.Judge || !p.Human && slices.Contains(together, by) {
			asked++
			if p.Candidate == answer {
				right++
			}
		}
	}
	if by == Majority {
		return 2*right > asked
	}
	return asked > 0 && right == asked
}

// ReadJudged streams the questions of a JudgedFile.
func ReadJudged(path string) iter.Seq2[Question, error] {
	return lines[Question](path, "read verdicts: ")
}
