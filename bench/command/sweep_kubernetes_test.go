package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/internal/testkit"
	"infbench/internal/usage"
)

// kubernetesSweep is one cell that trains and one that does not.
const kubernetesSweep = `
name: indexed
base:
  train: {epochs: 1, rows_per_group: 480, lr: 5e-3}
baselines: [untrained]
evaluate: [mini-bright]
resources: {cpus: 2}
`

// In shards a sweep prints two Jobs: one for the shards, and one for the trials that join
// them. Run one after the other, they give the results of a sweep without shards.
func TestKubernetesInShards(t *testing.T) {
	file := inFile(t, "shards.yaml", "name: shards\nbaselines: [bm25, random]\nevaluate: [mini-bright]\nresources: {cpus: 1}\n")
	local, cluster := t.TempDir(), t.TempDir()
	verbOutput(t, "sweep", file, "--runs", local)
	jobs := readKubeJobs(t, verbOutput(t, append([]string{"sweep", file, "--runs", cluster, "--dry-run", "--shards", "3"}, clusterFlags...)...))
	if len(jobs) != 2 || jobs[0].Spec.Completions != 2*3 || jobs[1].Spec.Completions != 2 {
		t.Fatalf("%d Jobs, want one of six shards and one of two trials", len(jobs))
	}
	for i, job := range jobs {
		completed, failed := job.run(t, func(int, int) syscall.Signal { return 0 })
		if len(completed) != job.Spec.Completions || len(failed) != 0 {
			t.Errorf("Job %d: completed %v, failed %v", i, completed, failed)
		}
	}
	if got, want := numbers(t, filepath.Join(cluster, "shards")), numbers(t, filepath.Join(local, "shards")); !maps.Equal(got, want) || len(want) == 0 {
		t.Errorf("%d files of numbers differ from the local engine's %d", len(got), len(want))
	}
}

// clusterFlags are the flags that a Kubernetes sweep needs.
var clusterFlags = []string{"--engine", "kubernetes", "--image", "registry.example/infbench:1", "--claim", "runs", "--run-as", "1000:1000"}

// Each index run according to the manifest, through a pod that is told to stop and one that
// is killed, gives the same bytes as the local engine.
func TestKubernetesSimulated(t *testing.T) {
	testkit.Deep(t)
	file := inFile(t, "indexed.yaml", kubernetesSweep)
	local, cluster := t.TempDir(), t.TempDir()
	verbOutput(t, "sweep", file, "--runs", local)
	manifests := verbOutput(t, append([]string{"sweep", file, "--runs", cluster, "--dry-run"}, clusterFlags...)...)
	if again := verbOutput(t, append([]string{"sweep", file, "--runs", cluster, "--dry-run"}, clusterFlags...)...); again != manifests {
		t.Error("a second --dry-run prints other manifests")
	}
	jobs := readKubeJobs(t, manifests)
	if len(jobs) != 1 || jobs[0].Spec.Completions != 2 {
		t.Fatalf("%d Jobs, want one of two completions:\n%s", len(jobs), manifests)
	}
	interrupted := map[int]syscall.Signal{0: syscall.SIGTERM, 1: syscall.SIGKILL}
	completed, failed := jobs[0].run(t, func(index, attempt int) syscall.Signal {
		if index == 0 {
			return interrupted[attempt]
		}
		return 0
	})
	if !slices.Equal(completed, []int{0, 1}) || len(failed) != 0 {
		t.Errorf("completed %v, failed %v", completed, failed)
	}
	if attempts := jobs[0].attempts; !slices.Equal(attempts, []int{0, 0, 0, 1}) {
		t.Errorf("pods of indexes %v, want three of index 0, one of index 1", attempts)
	}
	want := numbers(t, filepath.Join(local, "indexed"))
	if got := numbers(t, filepath.Join(cluster, "indexed")); !maps.Equal(got, want) || len(want) != 2*5 {
		t.Errorf("%d files of numbers differ from the local engine's %d", len(got), len(want))
	}

	t.Run("an index beyond the list is not tried again", func(t *testing.T) {
		jobs[0].Spec.Completions = 3
		jobs[0].attempts = nil
		completed, failed := jobs[0].run(t, func(int, int) syscall.Signal { return 0 })
		if !slices.Equal(completed, []int{0, 1}) || !slices.Equal(failed, []int{2}) || len(jobs[0].attempts) != 3 {
			t.Errorf("completed %v, failed %v, pods of indexes %v", completed, failed, jobs[0].attempts)
		}
	})
}

func TestKubernetesFlags(t *testing.T) {
	file := inFile(t, "x.yaml", kubernetesSweep)
	for want, args := range map[string][]string{
		"--dry-run":              clusterFlags,
		"give the --image":       {"--engine", "kubernetes", "--dry-run"},
		"--claim":                {"--engine", "kubernetes", "--dry-run", "--image", "x"},
		"do not run as root":     append(slices.Clone(clusterFlags), "--dry-run", "--run-as", "0:0"),
		"want UID:GID":           append(slices.Clone(clusterFlags), "--dry-run", "--run-as", "me"),
		"does not hold":          append(slices.Clone(clusterFlags), "--dry-run", "--mount", "elsewhere"),
		"for --engine kubern":    {"--dry-run"},
		"for --engine slurm":     {"--detach"},
		`did you mean "slurm"`:   {"--engine", "slrm"},
		"want at least 100ms":    {"--poll", "1ms"},
		"--workers: want at lea": {"--workers", "0"},
	} {
		verbFails(t, usage.ExitUsage, want, append([]string{"sweep", file, "--runs", t.TempDir()}, args...)...)
	}
}

// simJob has the fields of an Indexed Job that are needed to run its indexes.
type simJob struct {
	Kind     string            `yaml:"kind"`
	Data     map[string]string `yaml:"data"`
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Completions          int `yaml:"completions"`
		BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
		PodFailurePolicy     struct {
			Rules []struct {
				Action      string `yaml:"action"`
				OnExitCodes struct {
					Operator string `yaml:"operator"`
					Values   []int  `yaml:"values"`
				} `yaml:"onExitCodes"`
			} `yaml:"rules"`
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				Containers []struct {
					Command []string `yaml:"command"`
					Env     []struct {
						Name  string `yaml:"name"`
						Value string `yaml:"value"`
					} `yaml:"env"`
					VolumeMounts []struct {
						Name      string `yaml:"name"`
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				} `yaml:"containers"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`

	cells    string // folder in place of the mounted ConfigMap
	attempts []int  // the index of each pod that ran
}

// readKubeJobs reads the Jobs of a manifest, each with the list before it.
func readKubeJobs(t *testing.T, manifests string) (jobs []*simJob) {
	t.Helper()
	dec := yaml.NewDecoder(strings.NewReader(manifests))
	cells := map[string]string{}
	for {
		var object simJob
		if err := dec.Decode(&object); errors.Is(err, io.EOF) {
			return jobs
		} else if err != nil {
			t.Fatal(err)
		}
		if object.Kind == "ConfigMap" {
			dir := t.TempDir()
			for name, text := range object.Data {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cells[object.Metadata.Name] = dir
			continue
		}
		object.cells = cells[object.Metadata.Name]
		jobs = append(jobs, &object)
	}
}

// run does the work of the Job controller: a pod for each index, again after a failure
// according to the policy and the limit. kill returns the signal that ends a pod once it has
// printed something; 0: none.
func (j *simJob) run(t *testing.T, kill func(index, attempt int) syscall.Signal) (completed, failed []int) {
	t.Helper()
	for index := range j.Spec.Completions {
		counted := 0
		for attempt := 0; ; attempt++ {
			j.attempts = append(j.attempts, index)
			code := j.pod(t, index, kill(index, attempt))
			action := j.action(code)
			if code != 0 && action == "" {
				counted++
			}
			if code == 0 {
				completed = append(completed, index)
			} else if action == "FailIndex" || counted > j.Spec.BackoffLimitPerIndex {
				failed = append(failed, index)
			} else if attempt < 10 {
				continue
			} else {
				t.Fatalf("index %d does not end", index)
			}
			break
		}
	}
	return completed, failed
}

// action is the failure policy's action for an exit code; "" if no rule matches and the
// failure counts.
func (j *simJob) action(code int) string {
	for _, rule := range j.Spec.PodFailurePolicy.Rules {
		if rule.OnExitCodes.Operator == "In" && slices.Contains(rule.OnExitCodes.Values, code) {
			return rule.Action
		}
	}
	return ""
}

// pod runs the container of one index and returns its exit code as a container runtime does:
// 128 plus the signal if it was killed.
func (j *simJob) pod(t *testing.T, index int, signal syscall.Signal) int {
	t.Helper()
	c := j.Spec.Template.Spec.Containers[0]
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Clone(c.Command[1:])
	for i, arg := range args {
		arg = strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index))
		for _, m := range c.VolumeMounts {
			if m.Name == "cells" {
				arg = strings.Replace(arg, m.MountPath, j.cells, 1)
			}
		}
		args[i] = strings.ReplaceAll(arg, "$$", "$")
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index))
	for _, e := range c.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == 0 && signal != 0 {
			cmd.Process.Signal(signal)
		}
	}
	err = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	if err != nil {
		t.Logf("pod of index %d: %v: %s", index, err, stderr.String())
	}
	return cmd.ProcessState.ExitCode()
}
