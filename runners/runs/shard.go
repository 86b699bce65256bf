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

// ParseJob returns the trial of a job and the shard that it ranks. The shard is the zero value
// if the job is a complete trial.
func ParseJob(job string) (id string, s datasets.Shard) {
	id, shard, _ := strings.Cut(job, ".")
	if _, err := fmt.Sscanf(shard, "%d-of-%d", &s.Number, &s.Of); err != nil || ShardJob(id, s) != job {
		return job, datasets.Shard{}
	}
	return id, s
}

// ShardJobs returns the jobs for the missing shards of the trials that train nothing, each
// divided into so many shards. The trial, which joins the shards, repeats the failed ones.
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
