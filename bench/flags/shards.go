package flags

import (
	"github.com/spf13/cobra"

	"infbench/runners/trial"
)

// Shards declares the flags that divide an evaluation.
func Shards(cmd *cobra.Command, o *trial.ShardOptions) {
	ShardCount(cmd, o)
	Group(cmd.Flags(), MachineFlags, func() {
		cmd.Flags().IntVar(&o.Only, "shard", 0, "rank only this one of --shards, from 1; the process that ranks the last one joins them (default: all that no process ranks)")
	})
}

// ShardCount declares the flag for the number of shards.
func ShardCount(cmd *cobra.Command, o *trial.ShardOptions) {
	Group(cmd.Flags(), MachineFlags, func() {
		cmd.Flags().IntVar(&o.Of, "shards", 0, "divide every corpus into this many shards, rank the missing ones and join their rankings: the result is byte-identical to one process")
	})
}
