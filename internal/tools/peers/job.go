package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"infbench/internal/disk"
	"infbench/internal/memory"
	"infbench/internal/nearest"
	"infbench/metrics/kernel"
)

// job is the input of every side of a bout: job.json in the folder of the inputs.
type job struct {
	Dir     string `json:"-"`
	Check   bool   `json:"-"` // write the output, for comparison
	Shared  string `json:"shared"`
	Small   bool   `json:"small"`
	Threads int    `json:"threads"`
	Kernels string `json:"kernels"` // set of kernels for our side
	Warm    int    `json:"warm"`    // repetitions before the first timed one
	Timed   int    `json:"timed"`   // timed repetitions; the median counts

	Model string `json:"model"`           // folder of a pretrained network
	Dim   int    `json:"dim,omitempty"`   // values of a vector
	Depth int    `json:"depth,omitempty"` // of rankings
	Pairs int    `json:"pairs,omitempty"` // of a training step
}

const jobFile = "job.json"

// checkVariable asks a side to write its output.
const checkVariable = "PEERS_CHECK"

func (j *job) path(name string) string { return filepath.Join(j.Dir, name) }

// size returns the first size, or the second if all sizes are to be small.
func (j *job) size(large, small int) int {
	if j.Small {
		return small
	}
	return large
}

// readJob reads the job of a folder.
func readJob(dir string) (*job, error) {
	j := &job{Dir: dir, Check: os.Getenv(checkVariable) != ""}
	return j, readJSON(j.path(jobFile), j)
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return disk.WriteBytes(path, data)
}

// repeat calls a function as often as the job asks and returns the seconds of each timed
// repetition.
func (j *job) repeat(do func() error) (seconds []float64, err error) {
	for i := range j.Warm + j.Timed {
		start := time.Now()
		if err := do(); err != nil {
			return nil, err
		}
		if i >= j.Warm {
			seconds = append(seconds, time.Since(start).Seconds())
		}
	}
	return seconds, nil
}

// answer is the output of a side, on the last line that begins with answerPrefix.
type answer struct {
	Seconds map[string][]float64 `json:"seconds"` // of each timed repetition, by measure
	Version string               `json:"version"`
}

const answerPrefix = "peers: "

// ourSides are the sides of this program by name.
func ourSides() map[string]func(ctx context.Context, j *job) (map[string][]float64, error) {
	return map[string]func(ctx context.Context, j *job) (map[string][]float64, error){
		"encode": encodeSide, "encode_bf16": encodeBFloat16Side, "train": trainSide, "chunked": chunkedSide, "search": searchSide,
		"bm25": bm25Side, "tokenize": tokenizeSide, "parquet": parquetSide,
		"page": pageSide, "boards": boardsSide,
	}
}

// runSide is the process of our side of a bout.
func runSide(ctx context.Context, stdout io.Writer, name, dir string) error {
	side, ok := ourSides()[name]
	if !ok {
		return nearest.Unknown("side", name, boutNames())
	}
	j, err := readJob(dir)
	if err != nil {
		return err
	}
	defer memory.Limit(0)() // as infbench does, so that allocating is cheap
	if err := kernel.Use(j.Kernels); err != nil {
		return err
	}
	seconds, err := side(ctx, j)
	if err != nil {
		return err
	}
	line, err := json.Marshal(answer{Seconds: seconds})
	if err == nil {
		_, err = fmt.Fprintf(stdout, "%s%s\n", answerPrefix, line)
	}
	return err
}

// runPrepare is the process that makes the inputs of a bout in a folder with its job, and
// completes the job.
func runPrepare(ctx context.Context, name, dir string) error {
	j, err := readJob(dir)
	if err != nil {
		return err
	}
	if name == ownName {
		return prepareOwn(j)
	}
	for _, b := range bouts() {
		if b.name == name {
			if err := b.prepare(ctx, j); err != nil {
				return fmt.Errorf("inputs of %s: %w", name, err)
			}
			return writeJSON(j.path(jobFile), j)
		}
	}
	return nearest.Unknown("bout", name, boutNames())
}
