package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/data"
	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/export"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// pushOptions are the arguments of models push.
type pushOptions struct {
	folder       string
	repo         hub.Repo
	runs         []string // more run folders with results
	yes, private bool
}

func modelsPushCommand() *cobra.Command {
	var o pushOptions
	cmd := &cobra.Command{
		Use:   "push FOLDER|RUN:SYSTEM ORG/NAME [RUN...]",
		Short: "Send a model folder to the hub, with its results",
		Long: `Print what a model folder would send to a repository of the hub and, with --yes, send it.
The model card that is sent (README.md) has the model's results as model-index: those of
its trial, and those of evaluations of the same weights in the run folders RUN. The folder
itself does not change. A missing repository is created; files that the repository has
with the same content are not sent again, and its other files stay.

The token is read from $HF_TOKEN, or from the file that huggingface_hub's login wrote.
$HF_ENDPOINT names another hub.`,
		Example: `  infbench models push scratch/model me/my-retriever runs/evaluate
  infbench models push 'runs/demo:multi:P+I' me/my-retriever --private --yes`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.folder, o.repo, o.runs = args[0], hub.Repo{Kind: hub.Model, ID: args[1]}, args[2:]
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&o.yes, "yes", false, "send the files")
	cmd.Flags().BoolVar(&o.private, "private", false, "if the repository is created, make it private")
	return cmd
}

// run prints the files and, if told, sends them.
func (o *pushOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.repo.Check(); err != nil {
		return usage.Error{Err: err}
	}
	if strings.Count(o.repo.ID, "/") != 1 {
		return usage.Errorf("repository %q: want ORG/NAME", o.repo.ID)
	}
	files, tasks, err := o.files()
	if err != nil {
		return err
	}
	client, err := hub.NewClient()
	if err != nil {
		return err
	}
	if err := o.list(stdout, client.Address(o.repo), files, tasks); err != nil || !o.yes {
		return err
	}
	data.FollowClient(client, stderr)
	pushed, err := client.Push(ctx, o.repo, files, "infbench models push", o.private)
	if err != nil {
		return err
	}
	if len(pushed.Sent) == 0 {
		fmt.Fprintf(stdout, "nothing sent: %s has these files (commit %s)\n", o.repo.ID, pushed.Commit)
		return nil
	}
	fmt.Fprintf(stdout, "sent %s: %s, commit %s\n", words.Plural(len(pushed.Sent), "file", "files"), client.Address(o.repo), pushed.Commit)
	return nil
}

// files lists the files to send, the card with results, and the tasks of these.
func (o *pushOptions) files() (files []hub.Upload, tasks []string, err error) {
	folder, err := runs.ModelFolder(o.folder)
	if err != nil {
		return nil, nil, err
	}
	if info, err := disk.Stat(folder); err != nil || !info.IsDir() {
		return nil, nil, usage.Errorf("models push sends a folder of this machine, or RUN:SYSTEM: %s is neither", o.folder)
	}
	if own, err := hub.ReadPrivate(); err != nil {
		return nil, nil, err
	} else if own.HasFolder(folder) {
		return nil, nil, fmt.Errorf("%s is marked as private", folder)
	}
	found, into, err := inspectModel(folder)
	if err != nil {
		return nil, nil, err
	}
	if strings.HasPrefix(into, ".") {
		return nil, nil, fmt.Errorf("%s is an adapter of %s, a folder of this machine: merge them with infbench models merge and push that", folder, into)
	}
	if !found.Runs() {
		return nil, nil, fmt.Errorf("%s cannot be run: see infbench models check %s", folder, usage.Quote(folder))
	}
	about, err := o.results(folder)
	if err != nil {
		return nil, nil, err
	}
	if files, err = hub.FolderUploads(folder); err != nil {
		return nil, nil, err
	}
	card, err := disk.ReadFile(filepath.Join(folder, results.CardFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if card, err = about.IntoCard(card); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(folder, results.CardFile), err)
	}
	if len(about.Tasks) > 0 {
		files = slices.DeleteFunc(files, func(f hub.Upload) bool { return f.Path == results.CardFile })
		files = append([]hub.Upload{{Path: results.CardFile, Data: card}}, files...)
	}
	return files, about.Tasks, nil
}

// results finds the results of a model, those of the trial that the folder belongs to, of trials that
// evaluate the model of that trial, and of evaluations of the same weights.
func (o *pushOptions) results(folder string) (export.Results, error) {
	full, err := filepath.Abs(folder)
	if err != nil {
		return export.Results{}, err
	}
	names, trial := slices.Clone(o.runs), ""
	if above := filepath.Dir(full); filepath.Base(full) == results.ModelDir && filepath.Base(filepath.Dir(above)) == runs.TrialsDir {
		trial = filepath.Base(above)
		names = append([]string{filepath.Dir(filepath.Dir(above))}, names...)
	}
	if len(names) == 0 {
		return export.ResultsOf(o.repo.ID, nil)
	}
	sum, err := catalog.HashModelFiles(folder)
	if err != nil {
		return export.Results{}, err
	}
	exps, err := loadSets(names)
	if err != nil {
		return export.Results{}, err
	}
	for _, exp := range exps {
		exp.Trials = slices.DeleteFunc(exp.Trials, func(t results.Trial) bool {
			by := t.Provenance.TrainedBy
			return t.ID != trial && (by == nil || by.Trial != trial) && "sha256:"+t.Config[results.Weights] != sum
		})
	}
	return export.ResultsOf(o.repo.ID, exps)
}

// list prints what would be sent.
func (o *pushOptions) list(w io.Writer, address string, files []hub.Upload, tasks []string) error {
	verb := "would send"
	if o.yes {
		verb = "sends"
	}
	fmt.Fprintf(w, "%s %s to %s:\n", words.Clean(o.folder), verb, words.Clean(address))
	for i := range files {
		size, err := files[i].Size()
		if err != nil {
			return err
		}
		note := ""
		if files[i].From == "" {
			note = fmt.Sprintf(", with the results of %s", words.Plural(len(tasks), "task", "tasks"))
		}
		fmt.Fprintf(w, "  %s  %s bytes%s\n", words.Clean(files[i].Path), words.Group(int(size)), note)
	}
	for _, task := range tasks {
		fmt.Fprintf(w, "  result: %s\n", words.Clean(task))
	}
	if len(tasks) == 0 {
		fmt.Fprintln(w, "  no results: no trial of this model is in the run folders that were named")
	}
	if !o.yes {
		fmt.Fprintln(w, "nothing was sent; --yes sends it")
	}
	return nil
}
