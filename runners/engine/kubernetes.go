package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infbench/internal/disk"
)

// Kubernetes runs jobs as the indexes of Indexed Jobs, one Job for each set of resources. Its
// pods share a volume claim with this machine, and the run folder has the same path on both. It
// uses kubectl.
//
// Success is read from the trial folders; the Job only reports which indexes have failed for
// good. At the end of the context the Jobs of this run folder are deleted, and their trials
// save their state. Jobs outlive this process, and another process finds them again.
//
// The resources partition, account and extra apply to Slurm only.
type Kubernetes struct {
	Experiment  string
	Image       string
	Program     string // in the image
	Args        []string
	Namespace   string // "": kubectl's default
	Claim       string // the volume claim that is mounted at Mount
	Mount       string // absolute; RunDir and WorkDir are below it
	RunDir      string // absolute
	WorkDir     string // absolute
	User, Group int64
	Workers     int // pods of one set of resources at a time, at least 1
	Trials      Trials
	Poll        time.Duration
	Notice      func(string)
}

var _ Engine = (*Kubernetes)(nil)

// Run implements Engine.
func (k *Kubernetes) Run(ctx context.Context, jobs []Job, report func(Event)) error {
	r := &clusterRun{
		scheduler: &kubectl{k},
		tracker:   newTracker(jobs, k.Trials, report),
		title:     "Kubernetes",
		waveName:  func() string { return kubeName(k.Experiment, randomToken()) },
		dir:       filepath.Join(k.RunDir, "kubernetes"),
		poll:      k.Poll,
		notice:    k.Notice,
	}
	return r.run(ctx)
}

// Manifests returns the YAML documents that Run would apply for jobs that have not been
// submitted. The same jobs give the same text.
func (k *Kubernetes) Manifests(jobs []Job) ([]byte, error) {
	var out []byte
	for _, g := range newTracker(jobs, k.Trials, nil).groups {
		var ids []string
		for _, c := range g.cells {
			ids = append(ids, c.job.ID)
		}
		res := g.cells[0].job.Resources
		name := kubeName(k.Experiment, contentToken(append(ids, fmt.Sprintf("%+v", res))...))
		text, err := k.manifest(name, ids, res)
		if err != nil {
			return nil, err
		}
		if len(out) > 0 {
			out = append(out, "---\n"...)
		}
		out = append(out, text...)
	}
	return out, nil
}

// kubectl asks a cluster through the command kubectl.
type kubectl struct{ *Kubernetes }

var _ scheduler = (*kubectl)(nil)

// most implements scheduler. It returns the API's limit of 100,000, which is also a plan's.
func (k *kubectl) most(context.Context) (int, error) { return 100_000, nil }

// command runs kubectl in the namespace.
func (k *kubectl) command(ctx context.Context, stdin []byte, args ...string) (string, error) {
	if k.Namespace != "" {
		args = append(args, "--namespace="+k.Namespace)
	}
	return runCommand(ctx, os.Environ(), stdin, "kubectl", args...)
}

// submit implements scheduler. Applying a manifest twice has no effect, so if it is unclear
// whether a request arrived it is repeated.
func (k *kubectl) submit(ctx context.Context, w *wave, cells []*cell) (jobID string, err error) {
	text, err := k.manifest(w.Name, w.Cells, cells[0].job.Resources)
	if err != nil {
		return "", err
	}
	if err := disk.WriteBytes(filepath.Join(w.dir, "job.yaml"), text); err != nil {
		return "", err
	}
	err = patiently(ctx, k.Poll, k.Notice, func() error {
		// Server-side: kubectl's own annotation is too small for long lists.
		_, err := k.command(context.WithoutCancel(ctx), text, "apply", "--server-side", "--filename=-")
		return err
	})
	return w.Name, err
}

// kubeStatus has the fields of a Job that are read.
type kubeStatus struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		CompletedIndexes string `json:"completedIndexes"`
		FailedIndexes    string `json:"failedIndexes"`
		Conditions       []struct {
			Type    string `json:"type"`
			Status  string `json:"status"`
			Reason  string `json:"reason"`
			Message string `json:"message"`
		} `json:"conditions"`
	} `json:"status"`
}

// queue implements scheduler with one request for each Job. There is one Job for each set of
// resources.
func (k *kubectl) queue(ctx context.Context, waves []*wave) (map[string]*queued, error) {
	out := map[string]*queued{}
	for _, w := range waves {
		text, err := k.command(ctx, nil, "get", "job", w.Name, "--ignore-not-found", "--output=json")
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		q, err := parseKubeStatus(text)
		if err != nil {
			return nil, &commandError{name: "kubectl", err: fmt.Errorf("%w: %w", errGarbled, err)}
		}
		q.jobID = w.Name
		if q.rest == phaseWaiting {
			k.markRunning(w, q)
		}
		out[w.Name] = q
	}
	return out, nil
}

// markRunning finds the indexes that have begun in their trials' folders, because a Job does
// not list them.
func (k *kubectl) markRunning(w *wave, q *queued) {
	for i, id := range w.Cells {
		if _, known := q.phases[i]; known {
			continue
		}
		if k.Trials.Folder(id).HasBegun() {
			q.phases[i] = phaseRunning
		}
	}
}

// parseKubeStatus parses a Job as kubectl prints it.
func parseKubeStatus(text string) (*queued, error) {
	var job kubeStatus
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		return nil, err
	}
	q := &queued{phases: map[int]phase{}, rest: phaseWaiting}
	for _, c := range job.Status.Conditions {
		// A finished Job runs nothing more, whatever its indexes say.
		if c.Status == "True" && (c.Type == "Failed" || c.Type == "Complete") {
			q.rest = phaseLost
		}
	}
	for _, part := range []struct {
		list  string
		phase phase
	}{{job.Status.CompletedIndexes, phaseExited}, {job.Status.FailedIndexes, phaseRefused}} {
		indexes, _, err := parseIndexes(part.list)
		if err != nil {
			return nil, err
		}
		for _, i := range indexes {
			q.phases[i] = part.phase
		}
	}
	return q, nil
}

// cancel implements scheduler. Deletion in the foreground waits for the pods, which save their
// state.
func (k *kubectl) cancel(ctx context.Context, name string, _ ...string) error {
	return patiently(ctx, k.Poll, k.Notice, func() error {
		_, err := k.command(ctx, nil, "delete", "job/"+name, "configmap/"+name, "--ignore-not-found", "--cascade=foreground", "--wait=false")
		return err
	})
}

// output implements scheduler. Pods print to the cluster's own logs.
func (k *kubectl) output(*cell) taskOutput { return taskOutput{silent: true} }
