package device

import (
	"slices"

	"github.com/spf13/cobra"

	"infbench/runners/codes"
)

// blocksFlag is no part of a cell: what is found, and its scores, do not depend on it.
const blocksFlag = "dense-blocks"

// AddSearchFlags declares how a dense search uses the machine.
func (o *Options) AddSearchFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Blocks, blocksFlag, string(codes.Float32),
		"what a dense search multiplies: float32, or copies of the vectors in float16 or int8, whose candidates are then scored in float32 (the same rankings and scores)")
}

// BlocksArgs are the search's options as flags of a process, if they are not the
// defaults.
func (o *Options) BlocksArgs() []string {
	if slices.Contains([]string{"", string(codes.Float32)}, o.Blocks) {
		return nil
	}
	return []string{"--" + blocksFlag, o.Blocks}
}
