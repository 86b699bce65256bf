package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// maxIndexes limits what one list of indexes may expand to. No cluster accepts arrays that
// large.
const maxIndexes = 1 << 22

// parseIndexes parses a list of array indexes as Slurm and Kubernetes print it: "7", "0-3,9",
// with a step "0-8:4", with Slurm's throttle "0-99%8". Slurm truncates long lists with "...";
// truncated reports this, and indexes then has the rest of the list.
func parseIndexes(text string) (indexes []int, truncated bool, err error) {
	list, _, _ := strings.Cut(strings.Trim(text, "[]"), "%")
	if list == "" {
		return nil, false, nil
	}
	for _, part := range strings.Split(list, ",") {
		if strings.HasSuffix(part, "...") {
			return indexes, true, nil // the index before the dots may be truncated, too
		}
		first, last, step, err := parseRange(part)
		if err != nil {
			return nil, false, fmt.Errorf("array indexes %q: %w", text, err)
		}
		if (last-first)/step+len(indexes) > maxIndexes {
			return nil, false, fmt.Errorf("array indexes %q: more than %d", text, maxIndexes)
		}
		for i := first; i <= last; i += step {
			indexes = append(indexes, i)
		}
	}
	return indexes, false, nil
}

// parseRange parses "7", "0-3" or "0-8:4".
func parseRange(text string) (first, last, step int, err error) {
	span, by, stepped := strings.Cut(text, ":")
	from, to, ranged := strings.Cut(span, "-")
	if first, err = parseIndex(from); err != nil {
		return 0, 0, 0, err
	}
	last, step = first, 1
	if ranged {
		if last, err = parseIndex(to); err != nil {
			return 0, 0, 0, err
		}
	}
	if stepped {
		if step, err = parseIndex(by); err != nil {
			return 0, 0, 0, err
		}
	}
	if last < first || step < 1 {
		return 0, 0, 0, fmt.Errorf("not a range: %q", text)
	}
	return first, last, step, nil
}

func parseIndex(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("not an index: %q", text)
	}
	return int(n), nil
}
