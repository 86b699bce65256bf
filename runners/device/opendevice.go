package device

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"infbench/internal/disk"
	"infbench/training/encoder"
)

// OpenDeviceVerb is the verb with which Probe starts a process.
const OpenDeviceVerb = "open-device"

// PrintEnvironment prints the variables of a device as NAME=VALUE, one per line.
func PrintEnvironment(device string, w io.Writer) error {
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

// Describe opens a device, writes its description and what it depends on, and closes it again.
func Describe(ctx context.Context, device string, w io.Writer) error {
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
	row("backend", BackendName(t.backend(), encoder.Float32))
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

// describe writes how a device is opened and, for a plugin, what it depends on.
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

// verdict returns the result of the self-test of a device that opened.
func (t Target) verdict() string {
	switch {
	case t.kind == GoDevice:
		return "none: the other devices are compared with this one"
	case t.tuning.unchecked:
		return "off (" + selfTestOption + "=false)"
	}
	return fmt.Sprintf("a forward pass and a gradient are within %g of the Go backend's", t.tolerance())
}
