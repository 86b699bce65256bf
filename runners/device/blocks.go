package device

import (
	"slices"

	"infbench/runners/codes"
)

// BlocksFlag is no part of a cell: what is found, and its scores, do not depend on it.
const BlocksFlag = "dense-blocks"

// BlocksArgs are the search's options as flags of a process, if they are not the
// defaults.
func (o *Options) BlocksArgs() []string {
	if slices.Contains([]string{"", string(codes.Float32)}, o.Blocks) {
		return nil
	}
	return []string{"--" + BlocksFlag, o.Blocks}
}
