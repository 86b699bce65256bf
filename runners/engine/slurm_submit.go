package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/runners/spec"
)

// submit implements scheduler. If a failure leaves it unclear whether the array arrived, it
// asks the queue before another attempt.
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
		// The end of ctx does not interrupt this call, so its outcome is known.
		out, err := runCommand(context.WithoutCancel(ctx), slurmEnv(), nil, "sbatch", w.Command...)
		if err == nil {
			jobID, err = parseSubmitted(out)
		}
		limit := submitLimit(err)
		if limit != nil && !transient(err) {
			return limit
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
		if limit != nil && lookErr == nil {
			return limit
		}
		return err
	})
	return jobID, err
}

// noticeSeconds is how long before its time limit a cell gets a signal. In this time it
// finishes its step and saves its state.
const noticeSeconds = 120

// arguments returns the options of sbatch for a wave. On the command line they take precedence
// over SBATCH_* variables.
func (s *slurmClient) arguments(w *wave, res spec.Resources) []string {
	args := []string{
		"--parsable",
		"--job-name=" + w.Name,
		fmt.Sprintf("--array=0-%d%%%d", len(w.Cells)-1, s.Workers),
		"--requeue",
		fmt.Sprintf("--signal=B:USR1@%d", noticeSeconds),
		"--open-mode=append", // a requeued task keeps the output of its earlier attempts
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

// policyText is sbatch's message for every refusal by an association or a QOS. The limit itself
// is on a separate line, if at all.
const policyText = "job violates accounting/qos policy (job submit limit, user's size and/or time limits)"

// Messages of sbatch (src/common/slurm_errno.c and src/slurmctld/acct_policy.c in Slurm's
// source), by remedy.
var (
	// Fewer tasks help, or the end of other jobs: QOSMaxSubmitJobPerUserLimit,
	// AssocMaxSubmitJobLimit, AssocGrpSubmitJobsLimit and similar limits; MaxJobCount, at which
	// sbatch sleeps and finally gives up; and sites with their own messages.
	fewerOrLater = regexp.MustCompile(`(qos|assoc)\w*submit\w*|maxjobcount|temporarily unable to accept job|resource temporarily unavailable|` +
		`too many (jobs|tasks)|max(imum)?( number of)? (submitted )?jobs|submit(ted)? jobs? limit|job submit limit`)
	// Only fewer tasks help: an index reaches MaxArraySize.
	fewerOnly = regexp.MustCompile(`invalid job array specification|maxarraysize|max_array`)
	// Any other limit, such as QOSMaxWallDurationPerJobLimit, for which the number of tasks
	// does not matter.
	otherLimit = regexp.MustCompile(`\b(qos|assoc)\w+`)
)

// submitLimit returns a refusal of sbatch because of the number of tasks or jobs, or nil for
// any other error.
func submitLimit(err error) *limited {
	var c *commandError
	if !errors.As(err, &c) {
		return nil
	}
	text := strings.ToLower(c.stderr)
	named := strings.ReplaceAll(text, policyText, "")
	switch {
	case fewerOrLater.MatchString(named):
		return &limited{err: err, later: true}
	case fewerOnly.MatchString(named), named != text && !otherLimit.MatchString(named):
		return &limited{err: err}
	}
	return nil
}
