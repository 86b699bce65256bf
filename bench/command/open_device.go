package command

import (
	"github.com/spf13/cobra"

	"infbench/runners/device"
)

// openDeviceCommand opens a device and checks that it computes.
func openDeviceCommand() *cobra.Command {
	var environment bool
	cmd := &cobra.Command{
		Use:   device.OpenDeviceVerb + " DEVICE",
		Short: "Open a device, test it, and describe it",
		Long: `Open a device as --device names it, compare a forward pass and a gradient on it with
the Go backend's, and print the plugin with its SHA-256, the versions of PJRT of the plugin
and of this program, the card with its memory, and the library folders.

xla:cuda looks for the plugin in the folders of PJRT_PLUGIN_LIBRARY_PATH, in python3's
site-packages (jax_plugins/xla_cuda1?/xla_cuda_plugin.so), in ~/.local/lib/go-xla and in
/usr/local/lib/go-xla. NVIDIA's libraries are taken from next to the plugin (nvidia/*/lib),
or, if some are missing there, from python3's site-packages; the program restarts itself
once with them in LD_LIBRARY_PATH and CUDA's folder in XLA_FLAGS.`,
		Example: "  infbench open-device xla:cuda\n  infbench open-device xla:cuda:1,memory_fraction=0.9",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if environment {
				return device.PrintEnvironment(args[0], cmd.OutOrStdout())
			}
			return device.Describe(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&environment, "environment", false, "open nothing, print the environment variables with which the program restarts itself, for other programs on the device")
	return cmd
}
