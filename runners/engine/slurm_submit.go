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

// policyText is what sbatch says of every refusal by an association or a QOS; the limit that
// it is about stands on a line of its own, if at all.
const policyText = "job violates accounting/qos policy (job submit limit, user's size and/or time limits)"

// Messages of sbatch (src/common/slurm_errno.c and src/slurmctld/acct_policy.c in Slurm's
// source) by what helps.
var (
	// Fewer tasks, or the end of other jobs: QOSMaxSubmitJobPerUserLimit, AssocMaxSubmitJobLimit,
	// AssocGrpSubmitJobsLimit and their like; MaxJobCount, where sbatch sleeps and gives up at
	// last; sites that word limits themselves.
	fewerOrLater = regexp.MustCompile(`(qos|assoc)\w*submit\w*|maxjobcount|temporarily unable to accept job|resource temporarily unavailable|` +
		`too many (jobs|tasks)|max(imum)?( number of)? (submitted )?jobs|submit(ted)? jobs? limit|job submit limit`)
	// Fewer tasks alone: an index reaches MaxArraySize.
	fewerOnly = regexp.MustCompile(`invalid job array specification|maxarraysize|max_array`)
	// Any other limit, such as QOSMaxWallDurationPerJobLimit, which no number of tasks meets.
	otherLimit = regexp.MustCompile(`\b(qos|assoc)\w+`)
)

// submitLimit is a refusal of sbatch for the number of tasks or jobs; nil is another error.
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
