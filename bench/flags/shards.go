package flags

import (
	"github.com/spf13/cobra"

	"infbench/runners/trial"
)

// Shards declares the flags that divide an evaluation.
func Shards(cmd *cobra.Command, o *trial.ShardOptions) {
	ShardCount(cmd, o)
	Group(cmd.Flags(), MachineFlags, func() {
		cmd.Flags().IntVar(&o.Only, "shard", 0, "rank this one of --shards alone, from 1; whoever ranks the last joins them (default all that nobody ranks)")
	})
}

// ShardCount declares the flag that says how many shards there are.
func ShardCount(cmd *cobra.Command, o *trial.ShardOptions) {
	Group(cmd.Flags(), MachineFlags, func() {
		cmd.Flags().IntVar(&o.Of, "shards", 0, "divide every corpus into so many shards, rank those that are missing and join their rankings: the bytes of one process")
	})
}
