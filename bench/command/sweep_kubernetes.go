package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/internal/usage"
	"infbench/runners/engine"
	"infbench/runners/runs"
)

// kubernetesOptions are the flags of sweep that only --engine kubernetes reads.
type kubernetesOptions struct {
	dryRun, apply bool
	image         string
	program       string
	namespace     string
	claim         string
	mount         string
	runAs         string
}

func (o *kubernetesOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "kubernetes: print the manifests and leave")
	f.BoolVar(&o.apply, "apply", false, "kubernetes: apply them with kubectl and watch the run folder")
	f.StringVar(&o.image, "image", "", "kubernetes: image that holds infbench")
	f.StringVar(&o.program, "program", "/usr/local/bin/infbench", "kubernetes: path of infbench in the image")
	f.StringVar(&o.namespace, "namespace", "", "kubernetes: namespace (default kubectl's own)")
	f.StringVar(&o.claim, "claim", "", "kubernetes: volume claim, readable and writable by many nodes, that holds --mount")
	f.StringVar(&o.mount, "mount", "", "kubernetes: folder that is that volume, here and in the pods (default --runs)")
	f.StringVar(&o.runAs, "run-as", "", "kubernetes: UID:GID of the pods (default those of this process)")
}

func (o *kubernetesOptions) check() error {
	switch {
	case o.dryRun == o.apply:
		return usage.Errorf("--engine kubernetes: give --dry-run to print the manifests or --apply to run them")
	case o.image == "":
		return usage.Errorf("--engine kubernetes: give the --image that holds infbench")
	case o.claim == "":
		return usage.Errorf("--engine kubernetes: give the volume --claim that holds the run folder")
	}
	_, _, err := o.ids()
	return err
}

// ids are the user and group of the pods. Pods do not run as root.
func (o *kubernetesOptions) ids() (user, group int64, err error) {
	if o.runAs == "" {
		user, group = int64(os.Getuid()), int64(os.Getgid())
	} else {
		uid, gid, _ := strings.Cut(o.runAs, ":")
		var errGroup error
		user, err = strconv.ParseInt(uid, 10, 32)
		group, errGroup = strconv.ParseInt(gid, 10, 32)
		if err != nil || errGroup != nil {
			return 0, 0, usage.Errorf("--run-as: want UID:GID, found %q", o.runAs)
		}
	}
	if user <= 0 || group < 0 {
		return 0, 0, usage.Errorf("--run-as: pods do not run as root; give the UID:GID that owns the run folder, such as 1000:1000")
	}
	return user, group, nil
}

// newKubernetes makes the engine for a run folder.
func (o sweepOptions) newKubernetes(folder runs.Folder, notice func(string)) (*engine.Kubernetes, error) {
	k := &o.where.kubernetes
	mount := k.mount
	if mount == "" {
		mount = o.runs
	}
	mount, err := filepath.Abs(mount)
	if err != nil {
		return nil, err
	}
	full, err := filepath.Abs(folder.Dir)
	if err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(mount, full); err != nil || !filepath.IsLocal(rel) {
		return nil, usage.Errorf("--mount %s does not hold the run folder %s", mount, full)
	}
	args, err := o.clusterArgs()
	if err != nil {
		return nil, err
	}
	user, group, err := k.ids()
	if err != nil {
		return nil, err
	}
	return &engine.Kubernetes{
		Experiment: filepath.Base(full),
		Image:      k.image,
		Program:    k.program,
		Args:       args,
		Namespace:  k.namespace,
		Claim:      k.claim,
		Mount:      mount,
		RunDir:     full,
		WorkDir:    mount,
		User:       user,
		Group:      group,
		Workers:    o.workers,
		Trials:     o.trials(folder, full),
		Poll:       o.where.poll,
		Notice:     notice,
	}, nil
}

// printManifests implements --dry-run: it prints what --apply would apply, each list of jobs
// after those of the list before have ended.
func (o sweepOptions) printManifests(w io.Writer, folder runs.Folder, lists ...[]engine.Job) error {
	k, err := o.newKubernetes(folder, nil)
	if err != nil {
		return err
	}
	var all [][]byte
	for _, jobs := range lists {
		text, err := k.Manifests(jobs)
		if err != nil {
			return err
		}
		if len(text) > 0 {
			all = append(all, text)
		}
	}
	if _, err := w.Write(bytes.Join(all, []byte("---\n"))); err != nil {
		return fmt.Errorf("print manifests: %w", err)
	}
	return nil
}
