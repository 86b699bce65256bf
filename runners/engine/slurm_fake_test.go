package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/internal/disk"
	"infbench/runners/results"
)

// failing returns a shell command that records in a trial's folder why it failed.
func failing(t *testing.T, trial, why string) string {
	t.Helper()
	record, err := disk.EncodeSealed(map[string]string{"error": why})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("cat >%s <<'END'\n%sEND\n", filepath.Join(trial, results.FailureFile), record)
}

// fakeSlurm is a folder of commands that replace Slurm's on PATH. Each call of squeue plays the
// next of the lists queue.1, queue.2, ...; the last is repeated. A list that begins with "!" is
// an error message. @1, @2 ... in a list are the job names in the order of submission.
type fakeSlurm struct {
	t   *testing.T
	dir string
	run string // the run folder
}

// fakeCommands are the fake commands; $FAKE is their folder.
var fakeCommands = map[string]string{
	"sbatch": `
echo "sbatch $*" >>"$FAKE/calls"
for a in "$@"; do case $a in --job-name=*) name=${a#*=};; esac; done
n=$(ls "$FAKE" | grep -c '^sbatch\.did\.')
n=$((n+1)); touch "$FAKE/sbatch.did.$n"
if [ -e "$FAKE/sbatch.$n" ]; then . "$FAKE/sbatch.$n"; fi
tasks=$(echo "$*" | sed -n 's/.*--array=0-\([0-9]*\)%.*/\1/p')
if [ -n "$FAKE_MOST" ] && [ "$tasks" -ge "$FAKE_MOST" ]; then echo "$FAKE_SAYS" >&2; exit 1; fi
echo "$name" >>"$FAKE/names"
echo $((40 + n))
`,
	"squeue": `
echo "squeue $*" >>"$FAKE/calls"
n=$(cat "$FAKE/turn" 2>/dev/null || echo 0)
[ -e "$FAKE/queue.$((n+1))" ] && { n=$((n+1)); echo $n >"$FAKE/turn"; }
[ -e "$FAKE/turn.$n" ] && . "$FAKE/turn.$n"
if grep -q '^!' "$FAKE/queue.$n"; then cut -c2- "$FAKE/queue.$n" >&2; exit 1; fi
i=0; cp "$FAKE/queue.$n" "$FAKE/list"
while read -r name; do i=$((i+1)); sed -i "s/@$i/$name/" "$FAKE/list"; done 2>/dev/null <"$FAKE/names"
cat "$FAKE/list"
`,
	"scancel": `
echo "scancel $*" >>"$FAKE/calls"
[ -e "$FAKE/cancelled" ] && cp "$FAKE/cancelled" "$FAKE/queue.9" && echo 9 >"$FAKE/turn"
exit 0
`,
	"scontrol": `
echo "scontrol $*" >>"$FAKE/calls"
echo "MaxArraySize            = ${FAKE_ARRAY:-1001}"
`,
}

func newFakeSlurm(t *testing.T) *fakeSlurm {
	t.Helper()
	f := &fakeSlurm{t: t, dir: t.TempDir(), run: t.TempDir()}
	for name, script := range fakeCommands {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte("#!/bin/sh"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := results.At(filepath.Join(f.dir, "complete")).Writer().Complete(results.Config{}, nil, results.Provenance{}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", f.dir+":"+os.Getenv("PATH"))
	t.Setenv("FAKE", f.dir)
	return f
}

// file writes a file into the folder of the fake commands.
func (f *fakeSlurm) file(name, content string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// queue sets what squeue prints in its first call, its second, ...
func (f *fakeSlurm) queue(lists ...string) {
	for i, list := range lists {
		f.file(fmt.Sprintf("queue.%d", i+1), list)
	}
}

func (f *fakeSlurm) trial(id string) string { return filepath.Join(f.run, "trials", id) }

// doneAt returns a shell line that completes a trial folder.
func (f *fakeSlurm) doneAt(id string) string {
	return fmt.Sprintf("mkdir -p %[1]s; rm -f %[1]s/failure.json; cp $FAKE/complete/* %[1]s/\n", f.trial(id))
}

// calls lists the calls of one command.
func (f *fakeSlurm) calls(command string) (out []string) {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, command+" ") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func (f *fakeSlurm) engine() *Slurm {
	return &Slurm{
		Experiment: "demo", Program: "/bin/infbench", RunDir: f.run, WorkDir: "/", Workers: 2,
		Trials: Trials{
			Folder: func(id string) results.Folder { return results.At(f.trial(id)) },
			Mark: func(id string, change func(results.Folder) error) error {
				return change(results.At(f.trial(id)))
			},
			Log: func(id string) string { return filepath.Join(f.run, "logs", id+".log") },
		},
		Poll:   20 * time.Millisecond,
		Notice: func(text string) { f.t.Log("notice: " + text) },
	}
}

// wantEvents checks the events of a run that ends by itself. The wanted lines are prefixes.
func (f *fakeSlurm) wantEvents(ids []string, want ...string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	got, err := eventsOf(ctx, f.engine(), ids...)
	if err != nil {
		f.t.Errorf("Run: %v", err)
	}
	same := slices.EqualFunc(got, want, strings.HasPrefix)
	if !same {
		f.t.Errorf("events:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// openWaveNames lists the waves that are still open.
func (f *fakeSlurm) openWaveNames() []string {
	f.t.Helper()
	waves, err := openWaves(filepath.Join(f.run, "slurm"))
	if err != nil {
		f.t.Fatal(err)
	}
	return names(waves)
}

// eventsOf runs an engine on jobs and lists its events, such as "a started".
func eventsOf(ctx context.Context, e Engine, ids ...string) (got []string, err error) {
	var jobs []Job
	for _, id := range ids {
		jobs = append(jobs, Job{ID: id, Label: id})
	}
	kinds := map[Kind]string{Started: "started", Progressed: "progressed", Succeeded: "succeeded", Failed: "failed", Stopped: "stopped", Retried: "retried", Elsewhere: "elsewhere"}
	err = e.Run(ctx, jobs, func(e Event) {
		line := e.Job.ID + " " + kinds[e.Kind]
		if e.Err != nil {
			line += ": " + e.Err.Error()
		}
		got = append(got, line)
	})
	return got, err
}
