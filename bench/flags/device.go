package flags

import (
	"strings"

	"github.com/spf13/cobra"

	"infbench/runners/codes"
	"infbench/runners/device"
	"infbench/runners/spec"
)

// MemoryHelp is the help of --memory.
const MemoryHelp = "maximum memory of this process, such as 2GiB (0: GOMEMLIMIT, else the machine's)"

// Device declares the flags of the device that runs networks.
func Device(cmd *cobra.Command, o *device.Options) {
	f := cmd.Flags()
	Group(f, MachineFlags, func() {
		f.StringVar(&o.Device, "device", device.GoDevice, device.DeviceHelp)
		f.StringVar(&o.Kernels, device.KernelsFlag, "", "use only this kernel set, to get the same numbers on different processors: "+strings.Join(device.KernelSets, ", ")+" (default: the best available)")
		f.TextVar(&o.Memory, device.MemoryFlag, spec.Bytes(0), MemoryHelp+"; vectors, and what a batch computes on processors, take a quarter")
	})
}

// CachedDevice declares the flags of Device and --cache; cache is the help of --cache.
func CachedDevice(cmd *cobra.Command, o *device.Options, cache string) {
	Device(cmd, o)
	Group(cmd.Flags(), VectorFlags, func() { cmd.Flags().StringVar(&o.Cache, "cache", "", cache) })
}

// Search declares the flag for the format of dense searches.
func Search(cmd *cobra.Command, o *device.Options) {
	cmd.Flags().StringVar(&o.Blocks, device.BlocksFlag, string(codes.Float32),
		"vectors that a dense search multiplies: float32, or copies in float16 or int8, whose candidates are then scored in float32 (the same rankings and scores)")
}

// FixKernels makes this process use the --kernels of a verb, before it runs.
func FixKernels(cmd *cobra.Command) error {
	given := cmd.Flag(device.KernelsFlag)
	if given == nil || !given.Changed {
		return nil
	}
	return device.FixKernels(given.Value.String())
}
