//go:build slurm

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/internal/usage"
)

// slurmSweep is six cells; three train for some seconds.
const slurmSweep = `
name: six
base:
  train: {epochs: 4, rows_per_group: 240, lr: 5e-3}
matrix: {seed: [1, 2, 3]}
baselines: [untrained]
evaluate: [mini-bright]
resources: {gpus: 1, cpus: 1, memory: 900MiB}
`

// cluster is a real Slurm with sweeps of one experiment file in it.
type cluster struct {
	*testing.T
	bin, file string
	want      map[string][32]byte // numbers of the same sweep without a cluster
}

func TestSlurm(t *testing.T) {
	conf := os.Getenv("SLURM_CONF")
	if conf == "" {
		t.Skip("SKIP: no Slurm: SLURM_CONF is not set; .ci/slurm/run starts one")
	}
	dir := t.TempDir()
	c := &cluster{T: t, bin: filepath.Join(dir, "infbench"), file: inFile(t, "six.yaml", slurmSweep)}
	c.output("go", "build", "-o", c.bin, "infbench/bench")
	c.output(c.bin, "sweep", c.file, "--runs", filepath.Join(dir, "local"))
	c.want = numbers(t, filepath.Join(dir, "local", "six"))
	if len(c.want) != 6*5 { // each cell: 4 tasks and a scores file
		t.Fatalf("%d files of numbers from the local sweep, want 30", len(c.want))
	}
	for _, test := range []struct {
		name string
		run  func(s *slurmTest)
	}{
		{"undisturbed", undisturbed},
		{"broken everywhere", brokenEverywhere},
		{"interrupted", interrupted},
	} {
		t.Run(test.name, func(t *testing.T) {
			begin := time.Now()
			here := *c
			here.T = t
			s := &slurmTest{cluster: &here, runs: t.TempDir()}
			t.Cleanup(func() { // leftovers of a failed test would take the next one's GPUs
				for _, id := range s.tasks("PENDING,RUNNING") {
					s.try("scancel", id)
				}
			})
			test.run(s)
			t.Logf("%s: %.0f s", test.name, time.Since(begin).Seconds())
		})
	}
}

// undisturbed: the same bytes as without Slurm, both GPUs used, one array.
func undisturbed(s *slurmTest) {
	if code := s.start().wait(); code != 0 {
		s.Fatalf("exit %d", code)
	}
	s.sameNumbers()
	s.arrays(1)
	outputs := ""
	for _, path := range s.glob("slurm/*/*.out") {
		outputs += s.read(path)
	}
	for _, gpu := range []string{"gpus=0\n", "gpus=1\n"} {
		if !strings.Contains(outputs, gpu) {
			s.Errorf("no cell ran with %s", gpu)
		}
	}
	if logs := s.glob("logs/*.log"); len(logs) != 6 {
		s.Errorf("%d logs, want one a cell", len(logs))
	}
}

// brokenEverywhere: one sweep through a killed controller, a killed submitter, a notice of
// the time limit, a killed node, and a cancelled cell. Trials are frozen while Slurm is
// broken, so that the same happens on machines of any speed.
func brokenEverywhere(s *slurmTest) {
	submitter := s.start()
	training := s.hold(2, `"train"`)

	time.Sleep(10 * time.Second) // Slurm saves its queue every 5 s; killed earlier, it forgets the jobs
	s.killDaemon("slurmctld")
	time.Sleep(3 * time.Second) // the submitter finds nothing
	submitter.kill()
	s.output("slurmctld")
	s.until("the controller is back", func() bool { return s.try("squeue") == nil })

	submitter = s.start()
	s.until("the submitter is back", func() bool { return s.Failed() || strings.Contains(submitter.errs.String(), "to run") })
	// Slurm does this two minutes before the time limit.
	noticed := training[0]
	s.try("timeout", "5", "scancel", "--batch", "--signal=USR1", noticed) // repeated after the cell is requeued
	s.thaw()
	s.until("the noticed cell is queued again", func() bool { return strings.Contains(s.allOutput(), "queued again") })

	s.hold(1, "")
	s.killDaemon("slurmd")
	if n := s.killTasks(); n == 0 {
		s.Error("the dead node ran nothing")
	}
	time.Sleep(30 * time.Second) // Slurm does not ask a node that is back earlier for its jobs (BatchStartTimeout)
	s.output("slurmd")

	victim := s.waitingTask(noticed)
	s.output("scancel", victim)
	if code := submitter.wait(); code != 1 || !strings.Contains(submitter.errs.String(), "cancelled by somebody") {
		s.Fatalf("exit %d, want 1 with a cancelled cell named:\n%s", code, submitter.errs.String())
	}
	s.arrays(1) // despite all faults, no cell was submitted twice
	if code := s.start().wait(); code != 0 {
		s.Fatalf("the sweep that finishes the rest: exit %d", code)
	}
	s.sameNumbers()
	s.arrays(2)
}

// interrupted: Ctrl-C cancels the jobs that the sweep submitted and nothing else.
func interrupted(s *slurmTest) {
	other := strings.TrimSpace(s.output("sbatch", "--parsable", "--hold", "--output=/dev/null", "--wrap=true"))
	defer s.output("scancel", other)
	submitter := s.start()
	s.until("two cells run", func() bool { return len(s.tasks("RUNNING")) == 2 })
	submitter.Process.Signal(os.Interrupt)
	if code := submitter.wait(); code != usage.ExitStopped || !strings.Contains(submitter.errs.String(), "the same command goes on") {
		s.Fatalf("exit %d:\n%s", code, submitter.errs.String())
	}
	// The sweep has left; running trials save their state meanwhile.
	s.until("nothing of it is left", func() bool { return len(s.tasks("PENDING,RUNNING,COMPLETING")) == 0 })
	if state := strings.TrimSpace(s.output("squeue", "--noheader", "--format=%T", "--jobs="+other)); state != "PENDING" {
		s.Errorf("another's job is %s after Ctrl-C, want PENDING", state)
	}
	if code := s.start().wait(); code != 0 {
		s.Fatalf("exit %d", code)
	}
	s.sameNumbers()
}
