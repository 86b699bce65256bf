package main

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"infbench/bench/device"
	"infbench/bench/runs"
)

// namedDevices are the devices of a command line: --device, --devices, and what
// open-device is given. Of a line that is not well formed there are none; running it says
// what is wrong with it.
func namedDevices(args []string) (list []string) {
	cmd, rest, err := newRoot().Find(args)
	if err != nil || cmd.ParseFlags(rest) != nil {
		return nil
	}
	if cmd.Name() == device.OpenDeviceCommand().Name() {
		list = append(list, cmd.Flags().Args()...)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "device":
			list = append(list, f.Value.String())
		case "devices":
			if several, ok := f.Value.(pflag.SliceValue); ok {
				list = append(list, device.Join(several.GetSlice())...)
			}
		}
	})
	return list
}

// namedAutotuning is where the trial of a command line keeps what XLA finds to be fast, for
// all trials of its run; "" of other verbs.
func namedAutotuning(args []string) string {
	cmd, rest, err := newRoot().Find(args)
	if err != nil || cmd.Name() != trialCommand().Name() || cmd.ParseFlags(rest) != nil || cmd.Flags().NArg() == 0 {
		return ""
	}
	folder, err := filepath.Abs(cmd.Flags().Arg(0))
	if err != nil {
		return ""
	}
	return runs.At(folder).Autotuned()
}
