package command

import (
	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/memory"
	"infbench/runners/device"
	"infbench/runners/spec"
)

// addMemoryFlag gives every verb below root the flag --memory. A verb that computes
// declares the flag itself (flags.Device), since it divides the memory as well.
func addMemoryFlag(root *cobra.Command) {
	root.PersistentFlags().TextVar(new(spec.Bytes), device.MemoryFlag, spec.Bytes(0), flags.MemoryHelp)
}

// limitMemory bounds the process by the --memory that a verb was given, before it runs.
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
