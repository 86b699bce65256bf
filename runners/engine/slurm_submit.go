package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/runners/spec"
)

// submit implements scheduler. When a failure leaves open whether the array
// arrived, the queue is asked before another attempt is made.
func (s *slurmClient) submit(ctx context.Context, w *wave, cells []*cell) (jobID string, err error) {
	script := filepath.Join(s.dir(), "task.sh")
	if err := disk.WriteBytes(script, slurmTask); err != nil {
		return "", err
	}
	w.Command = append(s.arguments(w, cells[0].job.Resources), script, s.Program, s.RunDir, w.dir)
	w.Command = append(w.Command, s.Args...)
	if err := w.save(); err != nil {
		return "", err
	}
	err = patiently(ctx, s.Poll, s.Notice, func() error {
		// Not cut off by the end of ctx: what was begun is known to have ended.
		out, err := runCommand(context.WithoutCancel(ctx), slurmEnv(), nil, "sbatch", w.Command...)
		if err == nil {
			jobID, err = parseSubmitted(out)
		}
		if err == nil || !transient(err) {
			return err
		}
		var arrived map[string]*queued
		lookErr := patiently(ctx, s.Poll, s.Notice, func() (err error) {
			arrived, err = s.queue(ctx, []*wave{w})
			return err
		})
		if q := arrived[w.Name]; lookErr == nil && q != nil {
			jobID = q.jobID
			return nil
		}
		return err
	})
	return jobID, err
}

// noticeSeconds is how long before its time limit a cell is told: it ends the
// step under way and saves its state meanwhile.
const noticeSeconds = 120

// arguments are the options of sbatch for a wave. They stand on the command
// line because there they win over SBATCH_* variables.
func (s *slurmClient) arguments(w *wave, res spec.Resources) []string {
	args := []string{
		"--parsable",
		"--job-name=" + w.Name,
		fmt.Sprintf("--array=0-%d%%%d", len(w.Cells)-1, s.Workers),
		"--requeue",
		fmt.Sprintf("--signal=B:USR1@%d", noticeSeconds),
		"--open-mode=append", // a requeued task keeps what its earlier turns said
		"--output=" + strings.ReplaceAll(w.dir, "%", "%%") + "/%a.out",
		"--chdir=" + s.WorkDir,
		"--export=ALL",
		"--nodes=1", "--ntasks=1",
		"--cpus-per-task=" + strconv.Itoa(max(1, res.CPUs)),
	}
	add := func(given bool, format string, value any) {
		if given {
			args = append(args, fmt.Sprintf(format, value))
		}
	}
	add(res.GPUs > 0, "--gres=gpu:%d", res.GPUs)
	add(res.Memory > 0, "--mem=%dK", (int64(res.Memory)+1023)>>10)
	add(res.Time > 0, "--time=%d", res.Time.Minutes())
	add(res.Partition != "", "--partition=%s", res.Partition)
	add(res.Account != "", "--account=%s", res.Account)
	return append(args, res.Extra...)
}
