package metrics

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ReadQuality reads a judge's scores for INSTFOL: lines of "query without with", with scores from 0
// to 3. name is the name of the file in errors, which start with file:line. An empty file or a
// repeated query is an error.
func ReadQuality(r io.Reader, name string) (map[string]Quality, error) {
	all := map[string]Quality{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s:%d: want three fields: query, score without and with the instruction", name, n)
		}
		var q Quality
		for i, into := range []*float64{&q.Query, &q.Instructed} {
			v, err := strconv.ParseFloat(fields[i+1], 64)
			if err != nil || !(v >= 0 && v <= 3) {
				return nil, fmt.Errorf("%s:%d: %q is not a score from 0 to 3", name, n, fields[i+1])
			}
			*into = v
		}
		if _, twice := all[fields[0]]; twice {
			return nil, fmt.Errorf("%s:%d: query %q comes twice", name, n, fields[0])
		}
		all[fields[0]] = q
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no scores in this file", name)
	}
	return all, nil
}
