package command

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"infbench/bench/shell"
	"infbench/runners/device"
	"infbench/runners/runs"
)

// namedDevices are the devices of a command line: --device, --devices, what open-device is
// given, and the card of verbs that take one where none is named. Of a line that is not well
// formed there are none; running it says what is wrong with it.
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
