package runs

import (
	"path/filepath"
	"testing"

	"infbench/datasets"
)

func TestJobs(t *testing.T) {
	third := datasets.Shard{Number: 3, Of: 7}
	for _, c := range []struct {
		job, id string
		shard   datasets.Shard
		folder  string
	}{
		{"68ab", "68ab", datasets.Shard{}, "trials/68ab"},
		{ShardJob("68ab", third), "68ab", third, "trials/68ab/.shards-of-7/3"},
		{"68ab.3-of-7x", "68ab.3-of-7x", datasets.Shard{}, "trials/68ab.3-of-7x"},
		{"68ab.03-of-7", "68ab.03-of-7", datasets.Shard{}, "trials/68ab.03-of-7"},
	} {
		if id, shard := ParseJob(c.job); id != c.id || shard != c.shard {
			t.Errorf("%s is %s of %s", c.job, shard, id)
		}
		if dir := At("run").Trial(c.job).Dir; dir != filepath.Join("run", filepath.FromSlash(c.folder)) {
			t.Errorf("%s is in %s", c.job, dir)
		}
	}
}
