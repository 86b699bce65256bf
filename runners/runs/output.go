package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/runners/engine"
	"infbench/runners/results"
)

// outputLeases contains, in an output folder, the claim of the process that writes there.
const outputLeases = ".lease"

// Output is an output folder that this process has claimed: no other infbench writes there
// until Release.
type Output struct {
	results.Folder
	lease   *engine.Lease
	context context.CancelFunc
}

// ClaimOutput claims an output folder, or returns engine.ErrBusy if another process has it. The
// context ends when the claim is lost.
func ClaimOutput(ctx context.Context, dir string) (context.Context, *Output, error) {
	lease, err := engine.Leases{Dir: filepath.Join(dir, outputLeases)}.Take(ctx, "output")
	if errors.Is(err, engine.ErrBusy) {
		return ctx, nil, fmt.Errorf("output folder %s: %w, or writes there", dir, err)
	}
	if err != nil {
		return ctx, nil, err
	}
	ctx, cancel := lease.Context(ctx)
	return ctx, &Output{results.Folder{Dir: dir, Files: lease.Fence(disk.OS{})}, lease, cancel}, nil
}

// Release gives the folder back. It removes an empty folder.
func (o *Output) Release() error {
	o.context()
	err := o.lease.Release()
	if os.Remove(filepath.Join(o.Dir, outputLeases)) == nil { // else another process has come
		os.Remove(o.Dir) // fails unless it is empty
	}
	return err
}
