// Package gpucheck is the verb gpu-check: it measures how fast a GPU trains and encodes,
// next to PyTorch where that is installed. Its folder kit has what make gpu-kit packs for
// a machine with a GPU that has neither Go nor a network.
package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/training"
	"infbench/training/encoder"
)

// gpuCheckOptions are the flags of gpu-check.
type gpuCheckOptions struct {
	machine   device.Options
	shapes    []string
	loss      string
	precision string
	records   int
	groups    int
	chunk     int
	length    int
	steps     int
	recompute string // layers in the backward pass: auto, on, off
	peak      float64
}

// Values of --checkpointing.
const (
	recomputeAuto = "auto"
	recomputeOn   = "on"
	recomputeOff  = "off"
)

// checkpointing says whether layers of a shape are computed twice.
func (o gpuCheckOptions) checkpointing(s modelShape) bool {
	return o.recompute == recomputeOn || o.recompute == recomputeAuto && s.checkpointing
}

// Command measures a device on the shapes of real models.
func Command() *cobra.Command {
	var o gpuCheckOptions
	cmd := &cobra.Command{
		Use:   "gpu-check",
		Short: "Train and encode with models of real shapes and random weights, and print how fast it goes",
		Long: `Train and encode with models of real shapes and random weights, and print tokens a
second, the share of the card's peak that the model's arithmetic takes, and the most
memory that was in use; beside them the same of PyTorch, where python3 has it. Texts are
as long as the paper's are, unless --length makes all alike. PyTorch pads the same texts,
and of both only tokens of texts are counted.

It measures the first card unless --device names another. Where there is no GPU it says
so and succeeds. --device go runs the same on the processors, for which --shape tiny is
meant.`,
		Example: `  infbench gpu-check
  infbench gpu-check --device go --shape tiny --groups 1 --steps 2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return gpuCheck(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	flags.Device(cmd, &o.machine)
	f := cmd.Flags()
	onCard := f.Lookup("device") // other verbs compute on the processors where nothing is said
	o.machine.Device, onCard.DefValue = device.XlaCUDA, device.XlaCUDA
	f.StringArrayVar(&o.shapes, "shape", []string{"e5-base", "llama-3.2-1b"}, "model to imitate: "+strings.Join(shapeNames(), ", ")+"; may be repeated")
	f.StringVar(&o.loss, "loss", "multi(P,I)", "training loss")
	f.StringVar(&o.precision, "precision", string(encoder.BFloat16), "of matrix products in training: bf16 or float32")
	f.IntVar(&o.records, "records", 4, "records of a group, each three rows")
	f.IntVar(&o.groups, "groups", 8, "groups of a step")
	f.IntVar(&o.chunk, "chunk", 0, "sequences embedded at a time (0: all)")
	f.IntVar(&o.length, "length", 0, "tokens of every text (0: lognormal, with the means of the paper's instructions, queries and passages)")
	f.IntVar(&o.steps, "steps", 10, "steps that are timed, after as many that are not")
	f.StringVar(&o.recompute, "checkpointing", recomputeAuto, "compute layers twice to save memory: on, off, or auto: where the shape needs it")
	f.Float64Var(&o.peak, "peak-tflops", 0, "bfloat16 peak of the card (default by its name)")
	return cmd
}

// gpuCheck measures every shape, or says why it cannot.
func gpuCheck(ctx context.Context, o gpuCheckOptions, w io.Writer) error {
	if o.records < 1 || o.groups < 1 || o.steps < 1 || o.length != 0 && o.length < leastLength {
		return usage.Errorf("want at least one record, group and step, and %d tokens a text, or 0 for the paper's lengths", leastLength)
	}
	if !slices.Contains([]string{recomputeAuto, recomputeOn, recomputeOff}, o.recompute) {
		return usage.Error{Err: nearest.Unknown("checkpointing", o.recompute, []string{recomputeAuto, recomputeOn, recomputeOff})}
	}
	if err := encoder.Precision(o.precision).Check(); err != nil {
		return usage.Error{Err: err}
	}
	if _, err := training.ParseLoss(o.loss); err != nil {
		return usage.Error{Err: err}
	}
	for _, name := range o.shapes {
		if _, ok := shapes()[name]; !ok {
			return usage.Error{Err: nearest.Unknown("shape", name, shapeNames())}
		}
	}
	card := findCard(ctx)
	if err := o.machine.Probe(ctx); err != nil {
		var usage usage.Error
		if card.name != "" || errors.As(err, &usage) {
			return err
		}
		fmt.Fprintf(w, "gpu-check: SKIP: no GPU here (nvidia-smi lists none), and %v\n", err)
		return nil
	}
	if o.peak > 0 {
		card.peak = o.peak * 1e12
	}
	if o.machine.Device == device.GoDevice {
		card = gpuCard{peak: o.peak * 1e12}
	}
	fmt.Fprintf(w, "device %s%s\n", o.machine.Device, card)
	for _, name := range o.shapes {
		if err := measureShape(ctx, name, o, report{w, card}); err != nil {
			return fmt.Errorf("gpu-check of %s: %w", name, err)
		}
	}
	return nil
}

// report writes what is measured as soon as it is: whoever runs out of time keeps what
// there was.
type report struct {
	w    io.Writer
	card gpuCard
}

// columns are those of a table of one shape.
const columns = "%-20s  %-15s  %8s  %8s  %8s  %s\n"

// begin writes the head of the table.
func (r report) begin(name string, weights int, step work) {
	fmt.Fprintf(r.w, "\n%s: %d weights, %s a step\n", name, weights, step)
	fmt.Fprintf(r.w, columns, "program", "work", "seconds", "tokens/s", "peak use", "memory")
}

// row writes one measurement.
func (r report) row(m shapeRow) {
	share, memory := "-", "-"
	if r.card.peak > 0 && m.flops > 0 {
		share = fmt.Sprintf("%.1f %%", 100*m.flops/m.seconds/r.card.peak)
	}
	if m.memory > 0 {
		memory = fmt.Sprintf("%.2f GiB", float64(m.memory)/(1<<30))
	}
	fmt.Fprintf(r.w, columns, m.program, m.work, fmt.Sprintf("%.4f", m.seconds), fmt.Sprintf("%.0f", m.tokens/m.seconds), share, memory)
}
