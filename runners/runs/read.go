package runs

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/runners/results"
)

// ReadCurve reads the whole training of a trial that is done, or that failed in it, line
// by line; one without points where nothing was trained. A line that cannot be understood
// is left out: what a page draws is checked by nobody, and reports check all they read.
func ReadCurve(at results.Folder) (*Curve, error) {
	c := &Curve{}
	err := eachLine(filepath.Join(at.Dir, results.CurveFile), func(line []byte) {
		var s results.Step
		if json.Unmarshal(line, &s) == nil {
			c.Add(s.Step, values(&s))
		}
	})
	if err == nil {
		err = eachLine(filepath.Join(at.Dir, results.SpeedFile), func(line []byte) {
			var s results.Speed
			if json.Unmarshal(line, &s) == nil && s.TokensPerSecond > 0 {
				c.also(s.Step, Rate, s.TokensPerSecond)
			}
		})
	}
	return c, err
}

// eachLine visits the lines of a file, none of one that is not there. Longer lines than
// lineAtMost are an error.
func eachLine(path string, visit func([]byte)) error {
	file, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(io.Reader(file))
	lines.Buffer(nil, lineAtMost)
	for lines.Scan() {
		visit(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return nil
}
