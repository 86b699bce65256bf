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

// ReadCurve reads the complete curve of a trial that is done or that failed in training, line
// by line. The curve is empty if nothing was trained. It leaves out invalid lines, because it
// only serves to draw a page; reports check everything they read.
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

// eachLine visits the lines of a file, or nothing if the file does not exist. Lines longer than
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
