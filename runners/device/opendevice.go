package device

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"infbench/internal/disk"
)

// openDeviceVerb is what Probe starts.
const openDeviceVerb = "open-device"

// OpenDeviceCommand tells what a device is and whether it computes.
func OpenDeviceCommand() *cobra.Command {
	var environment bool
	cmd := &cobra.Command{
		Use:   openDeviceVerb + " DEVICE",
		Short: "Open a device, have it compute, and tell what it is",
		Long: `Open a device as --device names it, compare a forward pass and a gradient on it with
the Go backend's, and print the plugin with its SHA-256, the versions of PJRT of the plugin
and of this program, the card with its memory, and the folders of libraries.

xla:cuda looks for the plugin in the folders of PJRT_PLUGIN_LIBRARY_PATH, in python3's
site-packages (jax_plugins/xla_cuda1?/xla_cuda_plugin.so), in ~/.local/lib/go-xla and in
/usr/local/lib/go-xla. NVIDIA's libraries are those beside the plugin (nvidia/*/lib), and
where some are missing those of python3's site-packages; the program starts itself anew
once with them in LD_LIBRARY_PATH and CUDA's folder in XLA_FLAGS.`,
		Example: "  infbench open-device xla:cuda\n  infbench open-device xla:cuda:1,memory_fraction=0.9",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if environment {
				return printEnvironment(args[0], cmd.OutOrStdout())
			}
			return openDevice(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&environment, "environment", false, "open nothing, print the variables that the program starts itself anew with, for other programs on the device")
	return cmd
}

// printEnvironment prints the variables of a device, NAME=VALUE, a line each.
func printEnvironment(device string, w io.Writer) error {
	t, err := ParseTarget(device)
	if err != nil {
		return err
	}
	list, err := t.variables("")
	if err != nil {
		return fmt.Errorf("device %s: %w", device, err)
	}
	for _, v := range list {
		fmt.Fprintln(w, v)
	}
	return nil
}

// openDevice opens a device and closes it again.
func openDevice(ctx context.Context, device string, w io.Writer) error {
	t, err := ParseTarget(device)
	if err != nil {
		return err
	}
	b, err := OpenBackend(device)
	if err != nil {
		return err
	}
	defer b.Finalize()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, text string) { fmt.Fprintf(table, "%s\t%s\n", name, text) }
	row("device", device)
	row("backend", BackendName(t.backend()))
	if err := t.describe(ctx, row); err != nil {
		return err
	}
	if t.kind != GoDevice {
		for i := range b.NumDevices() {
			row("client", b.DeviceDescription(deviceNumber(i)))
		}
	}
	row("self-test", t.verdict())
	return table.Flush()
}

// describe tells how a device is opened, and of a plugin what it stands on.
func (t Target) describe(ctx context.Context, row func(name, text string)) error {
	plugin, err := t.locate()
	if err != nil {
		return err
	}
	if plugin != "" {
		sum, _, err := disk.SHA256(plugin)
		if err != nil {
			return err
		}
		row("plugin", plugin)
		row("SHA-256", sum)
		row("PJRT", fmt.Sprintf("%s of the plugin, %s of go-xla %s", unknownIfEmpty(pluginVersion(plugin)), headerVersion, unknownIfEmpty(goXLAVersion())))
	}
	row("config", t.config(plugin))
	if !t.cuda() {
		return nil
	}
	s := setupFor(plugin)
	row("libraries", cmp.Or(strings.Join(s.libraries, ":"), "the loader's"))
	if len(s.missing) > 0 {
		row("not found", strings.Join(s.missing, ", ")+"; "+cudaPackages+" brings them")
	}
	row("CUDA folder", cmp.Or(s.data, "not found"))
	card, err := findCard(ctx, t)
	if err != nil {
		row("card", "unknown: "+err.Error())
		return nil
	}
	row("card", fmt.Sprintf("%s, driver %s", card.Name, card.Driver))
	row("memory", fmt.Sprintf("%.1f GiB", float64(card.Memory)/(1<<30)))
	return nil
}

// verdict is what the self-test of a device that opened came to.
func (t Target) verdict() string {
	switch {
	case t.kind == GoDevice:
		return "none: the others are held against this one"
	case t.tuning.unchecked:
		return "off (" + selfTestOption + "=false)"
	}
	return fmt.Sprintf("a forward pass and a gradient are within %g of the Go backend's", t.tolerance())
}
