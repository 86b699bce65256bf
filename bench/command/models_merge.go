package command

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/training/encoder"
)

func modelsMergeCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge FOLDER ADAPTER",
		Short: "Merge a LoRA adapter into a model and write the folder",
		Long: `Adds an adapter (a folder that PEFT wrote) to the weights of an embedding
model (RepLLaMA and Promptriever are published as adapters) and writes a HuggingFace
folder that infbench and the Python libraries read. The card's settings are written into
that folder.`,
		Example: "  infbench models merge models/Llama-2-7b-hf models/repllama-v1-7b-lora-passage --out models/repllama-v1-7b",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usage.Errorf("models merge needs --out FOLDER")
			}
			if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
				return usage.Errorf("--out %s: want the name of a folder that does not exist", out)
			}
			return mergeModel(args[0], args[1], out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write")
	return cmd
}

// mergeModel writes the model in base with an adapter merged.
func mergeModel(base, adapter, out string) error {
	if err := errors.Join(results.Hold(base), results.Hold(adapter)); err != nil {
		return err
	}
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	e, err := encoder.OpenAdapted(base, adapter, backend)
	if err != nil {
		return err
	}
	return e.Save(out)
}
