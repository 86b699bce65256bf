package command

import (
	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/memory"
	"infbench/runners/device"
	"infbench/runners/spec"
)

// addMemoryFlag gives every verb below root the flag --memory. Verbs that compute declare the
// flag themselves (flags.Device), since they also divide the memory.
func addMemoryFlag(root *cobra.Command) {
	root.PersistentFlags().TextVar(new(spec.Bytes), device.MemoryFlag, spec.Bytes(0), flags.MemoryHelp)
}

// limitMemory limits the process to the verb's --memory before the verb runs.
func limitMemory(cmd *cobra.Command) error {
	given := cmd.Flag(device.MemoryFlag)
	if given == nil || !given.Changed {
		return nil
	}
	var n spec.Bytes
	if err := n.UnmarshalText([]byte(given.Value.String())); err != nil {
		return err
	}
	memory.Limit(int64(n))
	return nil
}
