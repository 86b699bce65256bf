package device

import (
	"slices"

	"infbench/runners/codes"
)

// BlocksFlag names the flag for dense search's block form. It is not part of a cell: neither
// the documents found nor their scores depend on it.
const BlocksFlag = "dense-blocks"

// BlocksArgs returns the search options as flags of a process. It leaves out defaults.
func (o *Options) BlocksArgs() []string {
	if slices.Contains([]string{"", string(codes.Float32)}, o.Blocks) {
		return nil
	}
	return []string{"--" + BlocksFlag, o.Blocks}
}
