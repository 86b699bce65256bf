package device

import (
	"github.com/spf13/cobra"

	"infbench/bench/spec"
	"infbench/datasets/room"
)

const (
	memoryFlag = "memory"
	memoryHelp = "most memory of this process, such as 2GiB (0: GOMEMLIMIT, else the machine's)"
)

// AddMemoryFlag gives every verb below root the flag --memory. A verb that computes
// declares the flag itself (AddDeviceFlags), since it divides the memory as well.
func AddMemoryFlag(root *cobra.Command) {
	root.PersistentFlags().TextVar(new(spec.Bytes), memoryFlag, spec.Bytes(0), memoryHelp)
}

// LimitMemory bounds the process by the --memory that a verb was given, before it runs.
func LimitMemory(cmd *cobra.Command) error {
	given := cmd.Flag(memoryFlag)
	if given == nil || !given.Changed {
		return nil
	}
	var n spec.Bytes
	if err := n.UnmarshalText([]byte(given.Value.String())); err != nil {
		return err
	}
	room.Limit(int64(n))
	return nil
}
