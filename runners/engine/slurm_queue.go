package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// queueFormat is the format of squeue's lines: array job, array index or indexes, state, job
// name.
const queueFormat = "%F|%K|%T|%j"

// parseQueue parses the output of squeue by job name. Every line must be complete: a truncated
// list would make jobs look lost.
func parseQueue(text string) (map[string]*queued, error) {
	lines := map[string][]queueLine{} // by job name
	for i, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		l, err := parseQueueLine(line)
		if err != nil {
			return nil, fmt.Errorf("squeue, line %d: %w", i+1, err)
		}
		lines[l.name] = append(lines[l.name], l)
	}
	out := map[string]*queued{}
	for name, all := range lines {
		out[name] = collect(all)
	}
	return out, nil
}

// queueLine is one line of squeue.
type queueLine struct {
	jobID, name string
	indexes     []int
	all         bool // the line describes all of the array
	truncated   bool
	phase       phase
}

func parseQueueLine(line string) (queueLine, error) {
	fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 4)
	if len(fields) != 4 || !strings.HasSuffix(line, "\n") {
		return queueLine{}, fmt.Errorf("truncated: %q", line)
	}
	if _, err := strconv.ParseUint(fields[0], 10, 64); err != nil {
		return queueLine{}, fmt.Errorf("no job number: %q", line)
	}
	l := queueLine{jobID: fields[0], name: fields[3], phase: phaseOf(fields[2])}
	var err error
	if l.all = fields[1] == "N/A"; !l.all { // an array that was cancelled before any task began
		l.indexes, l.truncated, err = parseIndexes(fields[1])
	}
	return l, err
}

// collect joins the lines of one job name. If the name has two arrays, the first counts.
func collect(lines []queueLine) *queued {
	q := &queued{phases: map[int]phase{}}
	var ids []string
	for _, l := range lines {
		if !slices.Contains(ids, l.jobID) {
			ids = append(ids, l.jobID)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	q.jobID = ids[0]
	for _, l := range lines {
		if l.jobID != q.jobID {
			if !l.phase.over() && !slices.Contains(q.doubles, l.jobID) {
				q.doubles = append(q.doubles, l.jobID)
			}
			continue
		}
		for _, i := range l.indexes {
			q.phases[i] = l.phase
		}
		if l.all || l.truncated {
			q.rest = l.phase
		}
	}
	return q
}
