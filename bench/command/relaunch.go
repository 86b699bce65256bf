package command

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"infbench/bench/shell"
	"infbench/runners/device"
	"infbench/runners/runs"
)

// namedDevices are the devices of a command line: --device, --devices, the argument of
// open-device, or a card by default for verbs that use one. For a malformed command line the
// list is empty; running it reports the error.
func namedDevices(args []string) (list []string) {
	args, _ = shell.Current(args)
	cmd, rest, err := newRoot().Find(args)
	if err != nil || cmd.ParseFlags(rest) != nil {
		return nil
	}
	if cmd.Name() == device.OpenDeviceVerb {
		list = append(list, cmd.Flags().Args()...)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "device" && (f.Changed || f.DefValue != device.GoDevice):
			list = append(list, f.Value.String())
		case f.Name == "devices" && f.Changed:
			if several, ok := f.Value.(pflag.SliceValue); ok {
				list = append(list, device.Join(several.GetSlice())...)
			}
		}
	})
	return list
}

// namedAutotuning is the folder in which the trial of a command line stores XLA's autotuning
// results for all trials of its run; "" for other verbs.
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
