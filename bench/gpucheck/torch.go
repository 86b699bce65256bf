package gpucheck

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"infbench/internal/words"
	"infbench/runners/device"
	"infbench/training/encoder"
)

// torchScript trains and encodes with a shape in PyTorch.
//
//go:embed gpucheck.py
var torchScript string

// torchTask is the input of the script.
type torchTask struct {
	Kind          string `json:"kind"` // bert or llama
	Vocabulary    int    `json:"vocabulary"`
	Width         int    `json:"width"`
	Layers        int    `json:"layers"`
	Heads         int    `json:"heads"`
	KeyHeads      int    `json:"key_heads"`
	Inner         int    `json:"inner"`
	Rows          int    `json:"rows"`     // number of anchors and of passages
	Steps         []work `json:"steps"`    // the tokens of passages, anchors and mixed pairs
	Passages      work   `json:"passages"` // texts to encode
	Budget        int    `json:"budget"`   // tokens in an encoding batch, including padding
	BFloat16      bool   `json:"bf16"`
	Checkpointing bool   `json:"checkpointing"`
	CUDA          bool   `json:"cuda"`
}

// torchBudget is the size of PyTorch's batches; ours on a card are equally large.
const torchBudget = 32768

// torchAnswer is the output of the script.
type torchAnswer struct {
	Version      string    `json:"version"`
	StepSeconds  []float64 `json:"step_seconds"` // for each step
	TrainMemory  int64     `json:"train_memory"`
	Encode       float64   `json:"encode_seconds"` // for all passages
	EncodeNarrow float64   `json:"encode_bf16_seconds"`
	EncodeMemory int64     `json:"encode_memory"`
}

// torchRows measures PyTorch on the same shape and texts; note explains why it could not.
func torchRows(ctx context.Context, s modelShape, o gpuCheckOptions, forward cost, steps []timedStep, passages work) (rows []shapeRow, note string) {
	if exec.CommandContext(ctx, "python3", "-c", "import torch").Run() != nil {
		return nil, "PyTorch: not measured, python3 has no torch"
	}
	c := s.config
	task := torchTask{
		Kind: c.ModelType, Vocabulary: c.VocabSize, Width: c.HiddenSize, Layers: c.NumHiddenLayers, Heads: c.NumAttentionHeads,
		KeyHeads: max(c.NumKeyValueHeads, 1), Inner: c.IntermediateSize, Passages: passages, Budget: torchBudget,
		Rows: 3 * o.records * o.groups, BFloat16: o.precision == string(encoder.BFloat16),
		Checkpointing: o.checkpointing(s), CUDA: !device.OnHost(o.machine.Device),
	}
	for _, step := range steps {
		task.Steps = append(task.Steps, step.work)
	}
	a, err := askTorch(ctx, task)
	if err != nil {
		return nil, words.Clean(fmt.Sprintf("PyTorch: not measured, %v", err))
	}
	theirs := make([]timedStep, len(steps))
	for i, step := range steps {
		theirs[i] = timedStep{step.work, a.StepSeconds[i]}
	}
	step := theirs[middle(theirs)]
	row := func(name string, seconds float64, of work, passes float64, memory int64) {
		rows = append(rows, shapeRow{
			program: "PyTorch " + words.Clean(a.Version), work: name, seconds: seconds, tokens: of.tokens(), flops: passes * forward.total(of), memory: memory,
		})
	}
	row("train "+o.precision, step.seconds, step.work, 3, a.TrainMemory)
	row("encode float32", a.Encode, passages, 1, a.EncodeMemory)
	if task.BFloat16 {
		row("encode bf16", a.EncodeNarrow, passages, 1, a.EncodeMemory)
	}
	return rows, ""
}

// askTorch runs the script.
func askTorch(ctx context.Context, task torchTask) (a torchAnswer, err error) {
	in, err := json.Marshal(task)
	if err != nil {
		return a, err
	}
	var stderr bytes.Buffer
	run := exec.CommandContext(ctx, "python3", "-c", torchScript)
	run.Stdin, run.Stderr = bytes.NewReader(in), &stderr
	out, err := run.Output()
	if err != nil {
		text := strings.TrimSpace(stderr.String())
		return a, fmt.Errorf("%w: %s", err, text[strings.LastIndexByte(text, '\n')+1:])
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return a, err
	}
	if len(a.StepSeconds) != len(task.Steps) {
		return a, fmt.Errorf("timed %d of %d steps", len(a.StepSeconds), len(task.Steps))
	}
	return a, nil
}
