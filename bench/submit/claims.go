package submit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"infbench/datasets"
	"infbench/internal/memory"
	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/metrics"
	"infbench/reports/foreign"
	"infbench/reports/published"
	"infbench/runners/results"
)

// claim is one value that a submission claims for its rankings.
type claim struct {
	results.Result
	file string
	line int
}

// at names the value that is claimed.
func (c claim) at() string {
	where := fmt.Sprintf("%s of %s/%s", strings.TrimSpace(c.Measure+" "+string(c.Side)), c.Benchmark, c.Task)
	if c.Query != "" {
		where += ", query " + shortened(c.Query)
	}
	return where
}

// readClaims reads scores.jsonl, which has one value per line.
func readClaims(c *contents, faults *faultList) (out []claim) {
	data, err := c.read(results.ScoresFile)
	if err != nil {
		faults.fail(err)
		return nil
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		one := claim{file: results.ScoresFile, line: n}
		if err := strict.Line(line, &one.Result); err != nil {
			faults.add(one.file, n, "not a value of a query: %v", err)
			continue
		}
		if out, err = memory.Append(out, one); err != nil {
			faults.fail(fmt.Errorf("%s:%d: %w", one.file, n, err))
			return nil
		}
	}
	return out
}

// readMTEB reads a result file of MTEB: means, with the task names that MTEB uses.
func (s *checked) readMTEB(name string) (out []claim) {
	data, err := s.contents.read(name)
	if err != nil {
		s.faults.fail(err)
		return nil
	}
	if line, err := brokenAt(data); err != nil {
		s.faults.add(name, line, "%v", err)
		return nil
	}
	found, err := foreign.Read(filepath.Join(s.place.dir, filepath.FromSlash(name)), "mteb", foreign.Options{})
	if err != nil {
		s.faults.add(name, 0, "%s", strings.TrimPrefix(err.Error(), filepath.Base(name)+": "))
		return nil
	}
	s.notes = append(s.notes, found.Warnings...)
	for _, system := range found.Systems {
		for _, task := range system.Tasks {
			out = append(out, s.valuesOf(name, task)...)
		}
	}
	return out
}

// valuesOf are the values of an MTEB task, if they are for the declared data.
func (s *checked) valuesOf(name string, source foreign.Task) (out []claim) {
	benchmark, task := placeOf(source)
	declared := s.declared(benchmark)
	if declared == nil {
		s.faults.add(name, 0, "is for %s, which is not a benchmark of %s", benchmark, DeclarationFile)
		return nil
	}
	if source.Revision != "" && !strings.Contains(declared.Revision, source.Revision) {
		s.faults.add(name, 0, "has revision %s of the data, but %s has %s", source.Revision, DeclarationFile, declared.Revision)
		return nil
	}
	for _, v := range source.Values {
		r := results.Result{Benchmark: benchmark, Task: task, Query: v.Query, Side: datasets.Side(v.Side), Measure: v.Measure, Value: &v.Value, Aggregate: v.Mean}
		out = append(out, claim{Result: r, file: name})
	}
	return out
}

// brokenAt returns the line of the first JSON error in a file.
func brokenAt(data []byte) (line int, err error) {
	var any json.RawMessage
	err = json.Unmarshal(data, &any)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		upTo := data[:min(int(syntax.Offset), len(data))]
		if bytes.HasSuffix(upTo, []byte("N")) {
			err = errors.New("NaN is not a JSON number, and not a value of a system")
		}
		return 1 + bytes.Count(upTo, []byte{'\n'}), err
	}
	return 0, err
}

// checkClaim checks a claim against the declaration and the benchmark.
func (s *checked) checkClaim(c claim) error {
	if s.declared(c.Benchmark) == nil {
		return fmt.Errorf("benchmark %s is not in %s", shortened(c.Benchmark), DeclarationFile)
	}
	m, err := metrics.Parse(c.Measure)
	if err != nil {
		return err
	}
	if m.String() != c.Measure {
		return fmt.Errorf("measure %s must be written %s", shortened(c.Measure), m)
	}
	if c.Aggregate != (c.Query == "") {
		return errors.New("a mean has \"aggregate\": true and no query; any other value has a query")
	}
	if c.Aggregate && c.Value == nil {
		return errors.New("the mean has no value")
	}
	if err := nearest.OneOf("side", c.Side, metrics.Sides()...); err != nil {
		return err
	}
	if v := c.Value; v != nil && (*v > 1 || *v < -1) && bounded(m) {
		return fmt.Errorf("%s is %v: values must be from 0 to 1, or from -1 to 1, not times 100", c.at(), *v)
	}
	if p, ok := m.(metrics.PMRR); ok && s.declaration.Conventions.Ties != "" && p.Insertion != (s.declaration.Conventions.Ties == published.TiesByInsertion) {
		return fmt.Errorf("%s has another order of ties than %s declares, %s", c.at(), DeclarationFile, s.declaration.Conventions.Ties)
	}
	return s.checkAsked(c)
}

// checkAsked checks a claim against its task, if that is available.
func (s *checked) checkAsked(c claim) error {
	b := s.benches[c.Benchmark]
	if b == nil {
		return nil
	}
	t := b.task(c.Task)
	if t == nil {
		return nearest.Unknown("task of "+c.Benchmark, c.Task, b.taskNames())
	}
	if c.Query != "" && !b.asks(t, c.Query) {
		return fmt.Errorf("query %s is not in %s/%s", shortened(c.Query), c.Benchmark, c.Task)
	}
	return nil
}

// bounded reports whether the values of a measure are from 0, or -1, to 1.
func bounded(m metrics.Measure) bool {
	for _, f := range metrics.Families() {
		if name, _, _ := strings.Cut(m.String(), "@"); f.Name == strings.SplitN(name, "(", 2)[0] {
			return strings.HasSuffix(f.Range, "1]") || strings.HasSuffix(f.Range, "1)")
		}
	}
	return false
}
