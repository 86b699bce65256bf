package runs

import (
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/runners/engine"
	"infbench/runners/spec"
)

// ShardJob names the job that ranks a shard of a trial: ID.3-of-7.
func ShardJob(id string, s datasets.Shard) string {
	return fmt.Sprintf("%s.%d-of-%d", id, s.Number, s.Of)
}

// ParseJob is the trial that a job is of, and the shard that it ranks: the zero value of a
// job that is the whole trial.
func ParseJob(job string) (id string, s datasets.Shard) {
	id, shard, _ := strings.Cut(job, ".")
	if _, err := fmt.Sscanf(shard, "%d-of-%d", &s.Number, &s.Of); err != nil || ShardJob(id, s) != job {
		return job, datasets.Shard{}
	}
	return id, s
}

// ShardJobs are the jobs that rank the shards, of so many, that are missing of those trials
// that train nothing. What fails of them is tried again by the trial, which joins them.
func (f Folder) ShardJobs(plan *spec.Plan, trials []engine.Job, of int) (jobs []engine.Job) {
	for _, j := range trials {
		if t, ok := plan.Trial(j.ID); !ok || t.Cell.Model == spec.Trained {
			continue
		}
		for n := 1; n <= of; n++ {
			shard := datasets.Shard{Number: n, Of: of}
			if job := ShardJob(j.ID, shard); f.Trial(job).Marker().Verify() != nil {
				jobs = append(jobs, engine.Job{ID: job, Label: j.Label + " shard " + shard.String(), Resources: j.Resources})
			}
		}
	}
	return jobs
}
