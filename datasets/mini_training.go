package datasets

import (
	"fmt"
	"regexp"
	"strconv"
)

// MiniTraining is the generated twin of InF-IR.
const MiniTraining = "mini-infir"

// miniCorpus is a generated training set.
type miniCorpus struct {
	name    string
	records int // number of records under the plain name; 0: it has only one size
	make    func(world uint64, records int) []Triplet
}

func miniCorpora() []miniCorpus {
	return []miniCorpus{
		{MiniTraining, MiniRecords, MiniInfIRSized},
		{MiniUnfiltered, 0, func(world uint64, _ int) []Triplet { return unfilteredSource(world) }},
		{MiniExclusion, MiniRecords, exclusions(MiniExclusion, func(i int) bool { return i%3 == 0 })},
		{MiniReversal, MiniRecords, exclusions(MiniReversal, func(int) bool { return true })},
		{MiniComplement, MiniRecords, exclusions(MiniComplement, func(int) bool { return false })},
	}
}

// maxMiniRecords is the largest size that a name may ask for.
const maxMiniRecords = 1_000_000

// miniSized matches the name of a generated training set with a number of records.
var miniSized = regexp.MustCompile(`^(.+)-([1-9][0-9]{0,8})$`)

// MiniTrainingNames lists the generated training sets. All except MiniUnfiltered may be followed by
// a number of records, as in mini-infir-9600; a larger set begins with a smaller one.
func MiniTrainingNames() (names []string) {
	for _, c := range miniCorpora() {
		names = append(names, c.name)
	}
	return names
}

// ParseMini returns the canonical name of a generated training set; ok is false if the name is not
// that of one.
func ParseMini(name string) (canonical string, ok bool, err error) {
	c, records, ok := findMini(name)
	switch {
	case !ok:
		return "", false, nil
	case records > maxMiniRecords:
		return "", true, fmt.Errorf("%s: %d records; at most %d are generated", name, records, maxMiniRecords)
	case records == c.records:
		return c.name, true, nil
	}
	return fmt.Sprintf("%s-%d", c.name, records), true, nil
}

// MiniTriplets generates a training set of a world by name; it returns false if the name is not
// that of a generated set.
func MiniTriplets(name string, world uint64) ([]Triplet, bool) {
	c, records, ok := findMini(name)
	if !ok || records > maxMiniRecords {
		return nil, false
	}
	return c.make(world, records), true
}

// findMini parses NAME or NAME-RECORDS.
func findMini(name string) (c miniCorpus, records int, ok bool) {
	sized := miniSized.FindStringSubmatch(name)
	for _, c := range miniCorpora() {
		switch {
		case c.name == name:
			return c, c.records, true
		case sized != nil && sized[1] == c.name && c.records > 0:
			records, err := strconv.Atoi(sized[2])
			return c, records, err == nil
		}
	}
	return c, 0, false
}
