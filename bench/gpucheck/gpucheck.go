// Package gpucheck has the verb gpu-check: it measures how fast a GPU trains and encodes, and
// compares it with PyTorch if that is installed. Its folder kit is packed by make gpu-kit for a
// machine with a GPU but without Go and a network.
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
	recompute string // recompute layers in the backward pass: auto, on, off
	peak      float64
}

// Values of --checkpointing.
const (
	recomputeAuto = "auto"
	recomputeOn   = "on"
	recomputeOff  = "off"
)

// checkpointing reports whether layers of a shape are computed twice.
func (o gpuCheckOptions) checkpointing(s modelShape) bool {
	return o.recompute == recomputeOn || o.recompute == recomputeAuto && s.checkpointing
}

// Command is the verb gpu-check, which measures a device on the shapes of real models.
func Command() *cobra.Command {
	var o gpuCheckOptions
	cmd := &cobra.Command{
		Use:   "gpu-check",
		Short: "Measure how fast models of real shapes with random weights train and encode",
		Long: `Train and encode with models of real shapes and random weights, and print tokens per
second, the share of the card's peak that the model's arithmetic reaches, and the peak
memory; then the same for PyTorch, if python3 has it. Texts have the paper's lengths,
unless --length gives all the same length. PyTorch pads the same texts; both count only
real tokens.

It measures the first card unless --device names another. If there is no GPU, it prints
a note and succeeds. --device go runs the same on the processors; use --shape tiny with it.`,
		Example: `  infbench gpu-check
  infbench gpu-check --device go --shape tiny --groups 1 --steps 2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return gpuCheck(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	flags.Device(cmd, &o.machine)
	f := cmd.Flags()
	onCard := f.Lookup("device") // other verbs default to the processors
	o.machine.Device, onCard.DefValue = device.XlaCUDA, device.XlaCUDA
	f.StringArrayVar(&o.shapes, "shape", []string{"e5-base", "llama-3.2-1b"}, "model to imitate: "+strings.Join(shapeNames(), ", ")+"; may be repeated")
	f.StringVar(&o.loss, "loss", "multi(P,I)", "training loss")
	f.StringVar(&o.precision, "precision", string(encoder.BFloat16), "format of matrix products in training: bf16 or float32")
	f.IntVar(&o.records, "records", 4, "records in a group, with three rows each")
	f.IntVar(&o.groups, "groups", 8, "groups in a step")
	f.IntVar(&o.chunk, "chunk", 0, "sequences embedded at a time (0: all)")
	f.IntVar(&o.length, "length", 0, "tokens in every text (0: lognormal, with the means of the paper's instructions, queries and passages)")
	f.IntVar(&o.steps, "steps", 10, "number of timed steps, after as many untimed steps")
	f.StringVar(&o.recompute, "checkpointing", recomputeAuto, "compute layers twice to save memory: on, off, or auto: where the shape needs it")
	f.Float64Var(&o.peak, "peak-tflops", 0, "bfloat16 peak of the card (default: by its name)")
	return cmd
}

// gpuCheck measures every shape, or explains why it cannot.
func gpuCheck(ctx context.Context, o gpuCheckOptions, w io.Writer) error {
	if o.records < 1 || o.groups < 1 || o.steps < 1 || o.length != 0 && o.length < leastLength {
		return usage.Errorf("want at least one record, group and step, and %d tokens per text, or 0 for the paper's lengths", leastLength)
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

// report prints each measurement immediately, so that a run that is cut short keeps its
// results.
type report struct {
	w    io.Writer
	card gpuCard
}

// columns is the format of the table of a shape.
const columns = "%-20s  %-15s  %8s  %8s  %8s  %s\n"

// begin prints the head of the table.
func (r report) begin(name string, weights int, step work) {
	fmt.Fprintf(r.w, "\n%s: %d weights, %s per step\n", name, weights, step)
	fmt.Fprintf(r.w, columns, "program", "work", "seconds", "tokens/s", "peak use", "memory")
}

// row prints one measurement.
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
