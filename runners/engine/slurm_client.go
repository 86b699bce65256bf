package engine

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// slurmClient calls Slurm's commands.
type slurmClient struct{ *Slurm }

var _ scheduler = (*slurmClient)(nil)

// queue lists every task of the arrays, including ended ones as long as the controller
// remembers them (MinJobAge).
func (s *slurmClient) queue(ctx context.Context, waves []*wave) (map[string]*queued, error) {
	if len(waves) == 0 {
		return nil, ctx.Err()
	}
	out, err := runCommand(ctx, slurmEnv(), nil, "squeue", "--noheader", "--states=all", "--format="+queueFormat, "--name="+strings.Join(names(waves), ","))
	if err != nil {
		return nil, err
	}
	tasks, err := parseQueue(out)
	if err != nil {
		return nil, &commandError{name: "squeue", err: fmt.Errorf("%w: %w", errGarbled, err)}
	}
	return tasks, nil
}

// cancel implements scheduler. The name is unique, so nothing else is cancelled.
func (s *slurmClient) cancel(ctx context.Context, name string, id ...string) error {
	return patiently(ctx, s.Poll, s.Notice, func() error {
		_, err := runCommand(ctx, slurmEnv(), nil, "scancel", append([]string{"--quiet", "--name=" + name}, id...)...)
		return err
	})
}

// output implements scheduler.
func (s *slurmClient) output(c *cell) taskOutput { return readTaskOutput(c.wave.outPath(c.index)) }

// defaultArraySize is Slurm's default of MaxArraySize.
const defaultArraySize = 1001

// most returns MaxArraySize, or its default if that is smaller: larger waves have no advantage.
func (s *slurmClient) most(ctx context.Context) (size int, err error) {
	err = patiently(ctx, s.Poll, s.Notice, func() error {
		out, err := runCommand(ctx, slurmEnv(), nil, "scontrol", "show", "config")
		size = parseArraySize(out)
		return err
	})
	return min(size, defaultArraySize), err
}

func parseArraySize(config string) int {
	for line := range strings.Lines(config) {
		key, value, _ := strings.Cut(line, "=")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 && strings.TrimSpace(key) == "MaxArraySize" {
			return n
		}
	}
	return defaultArraySize
}

var submittedLine = regexp.MustCompile(`(?m)^(\d+)(;\S+)?\s*$`)

// parseSubmitted parses the job number that sbatch --parsable prints. The cluster's name
// follows it if there are several clusters.
func parseSubmitted(out string) (string, error) {
	m := submittedLine.FindStringSubmatch(out)
	if m == nil {
		return "", &commandError{name: "sbatch", err: fmt.Errorf("%w: no job number in %q", errGarbled, out)}
	}
	return m[1], nil
}

// slurmEnv returns the environment of Slurm's commands. It asks for complete index lists and
// English messages. It removes the variables that would filter the output, make a command wait,
// or pass on the settings of a job in which this process itself runs.
func slurmEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "SQUEUE_"), strings.HasPrefix(name, "SCANCEL_"), name == "SBATCH_WAIT",
			strings.HasPrefix(name, "SLURM_") && name != "SLURM_CONF" && name != "SLURM_CLUSTERS":
			continue
		}
		env = append(env, v)
	}
	return append(env, "SLURM_BITSTR_LEN=0", "LC_ALL=C")
}
