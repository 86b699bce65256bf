package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"infbench/internal/disk"
)

// taskOutput is what the end of a task's output shows about its latest attempt: the trial's
// progress, the batch script's own lines and Slurm's notices.
type taskOutput struct {
	begun    bool // the task has printed something
	progress Progress
	code     *int  // the trial's exit code; nil while it runs, or if it was killed with its script
	notice   phase // notice of slurmstepd; phaseGone: none
	silent   bool  // the cluster keeps no readable output
}

// outPath returns the path of one task's output.
func (w *wave) outPath(index int) string {
	return filepath.Join(w.dir, strconv.Itoa(index)+".out")
}

// outputTail is how much of the end of a task's output is read, in bytes.
const outputTail = 16 << 10

// readTaskOutput reads the end of an output file. The result is empty if the file does not
// exist (yet).
func readTaskOutput(path string) taskOutput {
	text, err := readTail(path, outputTail)
	if err != nil {
		return taskOutput{}
	}
	return parseTaskOutput(text)
}

// parseTaskOutput parses the lines of the latest attempt.
func parseTaskOutput(text string) (out taskOutput) {
	out.begun = text != ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "infbench-task: "); ok {
			if strings.HasPrefix(rest, "begin ") {
				out = taskOutput{begun: true, progress: out.progress}
			}
			if code, err := strconv.Atoi(strings.TrimPrefix(rest, "exit ")); err == nil {
				out.code = &code
			}
			continue
		}
		var p Progress
		if json.Unmarshal([]byte(line), &p) == nil && p.Phase != "" {
			out.progress = p
		}
		if n := noticed(line); n != phaseGone {
			out.notice = n
		}
	}
	return out
}

// notices are the texts that slurmstepd writes into a job's output before it ends the job
// (src/slurmd/slurmstepd in Slurm's source), the more specific first.
var notices = []struct {
	text  string
	phase phase
}{
	{"DUE TO TIME LIMIT", phaseTimeout},
	{"DUE TO NODE FAILURE", phaseLost},
	{"DUE TO PREEMPTION", phaseLost},
	{"DUE TO JOB REQUEUE", phaseWaiting},
	{"oom-kill", phaseMemory},
	{"oom_kill", phaseMemory},
	{"memory limit", phaseMemory},
	{"CANCELLED AT", phaseCancelled},
}

// noticed parses one line as a notice of slurmstepd.
func noticed(line string) phase {
	if !strings.HasPrefix(line, "slurmstepd") {
		return phaseGone
	}
	for _, n := range notices {
		if strings.Contains(line, n.text) {
			return n.phase
		}
	}
	return phaseGone
}

// phase refines squeue's state of a finished task with the task's output. A task that ran out
// of memory is FAILED if a child of the script was killed, and the output is all that is left
// of a job that the controller has forgotten. A task that never began and is missing from a
// listed array was removed by scancel, which leaves no other trace.
func (o taskOutput) phase(p phase, listed bool) phase {
	switch {
	case o.notice != phaseGone && o.notice != phaseWaiting:
		return o.notice
	case p == phaseGone && o.code != nil:
		return phaseExited
	case p == phaseGone && listed && !o.begun && !o.silent:
		return phaseCancelled
	}
	return p
}

// withLastLine adds the last line of a log to a reason.
func withLastLine(reason, log string) error {
	text, err := readTail(log, 4<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s (its log: %w)", reason, err)
	}
	text = strings.TrimSpace(text)
	last := strings.TrimPrefix(text[strings.LastIndexByte(text, '\n')+1:], "infbench: ")
	if last == "" {
		return errors.New(reason)
	}
	return fmt.Errorf("%s; the last line of its log: %s", reason, last)
}

// readTail reads the last size bytes of a file, from the beginning of a line.
func readTail(path string, size int64) (string, error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	from := max(0, end-size)
	data, err := io.ReadAll(io.NewSectionReader(f, from, end-from))
	if err != nil {
		return "", err
	}
	text := string(data)
	if from > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text, nil
}
