package command

import (
	"encoding/json"
	"fmt"
	"io"

	"infbench/datasets/annotate"
	"infbench/datasets/curate"
	"infbench/runners/contamination"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// flipReader is a verb, or a function that verbs read with, applied to the files of the
// fixture.
type flipReader struct {
	verb string
	args []string                                      // of a command line; "TRIAL" in it is the folder of the only trial
	load func(stdout io.Writer, trialDir string) error // instead of args: the loader of a verb

	// loader names the code that reads the files. Every byte of a file is flipped for the
	// first reader with a loader, some bytes for the others. By default each verb has its own
	// loader.
	loader string
}

// flipReaders are the loaders of verbs, and the verbs that read files of other verbs.
var flipReaders = []flipReader{
	{verb: "report", load: loadRun("runs/flip"), loader: "runs"},
	{verb: "report", load: loadRun("runs/eval"), loader: "runs"},
	{verb: "report", load: loadRun("runs/imported"), loader: "runs"},
	{verb: "report", load: loadRun("runs/probed"), loader: "runs"},
	{verb: "report", load: loadRun("runs/of-model"), loader: "runs"},
	{verb: "report", load: loadRun("runs/failed"), loader: "runs"},
	{verb: "report", load: loadRun("runs/stopped"), loader: "runs"},
	{verb: "report", load: loadRun("runs/active"), loader: "runs"},
	{verb: "report", load: loadShown, loader: "runs"},
	{verb: "report", load: loadStudies, loader: "runs"},
	{verb: "report", args: line("report runs/flip runs/eval runs/imported runs/probed --format csv"), loader: "runs"},
	{verb: "report", args: line("report runs/flip --format json"), loader: "runs"},
	{verb: "report", args: line("report runs/flip runs/eval --format html --out out/page.html"), loader: "runs"},
	{verb: "report", args: line("report runs/flip --published paper --format csv"), loader: "runs"},
	{verb: "query", args: line("query runs/flip --format json"), loader: "runs"},
	{verb: "query", args: line("query runs/flip q1 --format json"), loader: "runs"},
	{verb: "query", args: line("query runs/imported q1 --format json"), loader: "runs"},
	{verb: "report", args: line("report --view map --format json"), loader: "runs"},
	{verb: "report", args: line("report --view data --format json"), loader: "runs"},
	{verb: "report", args: line("report --view agreement --format json"), loader: "runs"},
	{verb: "report", args: line("report --view funnel --format json"), loader: "runs"},
	{verb: "report", args: line("report --view diversity --format json"), loader: "runs"},
	{verb: "report", args: line("report runs/of-model runs/failed runs/stopped --format csv"), loader: "runs"},
	{verb: "gate", args: line("gate --rule gate.yaml runs/flip --format json"), loader: "runs"},
	{verb: "gate", args: line("gate --rule gate.yaml runs/eval --baseline runs/imported --format json"), loader: "runs"},
	{verb: "gate accept", args: line("gate accept uni(P) --file out/accepted.yaml --baseline runs/flip --run runs/eval --until 2099-01-31 --who Ann --why tried"), loader: "runs"},
	{verb: "submit new", args: line("submit new runs/eval --into out --system a/b --revision v1"), loader: "runs"},
	{verb: "submit check", args: line("submit check submissions --out out/submitted")},
	{verb: "diff", args: line("diff runs/flip runs/eval --format json"), loader: "runs"},
	{verb: "diff", args: line("diff runs/imported runs/probed --format json"), loader: "runs"},
	{verb: "publish", args: line("publish out runs/flip runs/imported"), loader: "runs"},
	{verb: "claims", args: line("claims claims.yaml runs/flip runs/eval --format json"), loader: "runs"},
	{verb: "export", args: line("export --format json runs/flip runs/eval runs/imported runs/probed"), loader: "runs"},
	{verb: "export", args: line("export --format trec --out out runs/flip runs/eval runs/imported"), loader: "runs"},
	{verb: "export", args: line("export --format qrels --out out runs/flip runs/imported"), loader: "runs"},
	{verb: "export", args: line("export --format mteb --out out runs/flip"), loader: "runs"},
	{verb: "verify", args: line("verify runs/flip")},
	{verb: "verify", args: line("verify runs/eval runs/imported runs/probed")},
	{verb: "status", args: line("status runs/flip")},
	{verb: "status", args: line("status runs/failed")},
	{verb: "status", args: line("status runs/stopped")},
	{verb: "status", args: line("status runs/active")},
	{verb: "verify", args: line("verify runs/active")},
	{verb: "trial", load: loadAsTrial, loader: "trial"},
	{verb: "sweep", load: loadAsSweep, loader: "trial"},
	{verb: "retry", args: line("retry runs/flip"), loader: "trial"},
	{verb: "retry", args: line("retry --discard runs/flip"), loader: "trial"},
	{verb: "repeat", args: line("repeat runs/flip ID"), loader: "trial"},
	{verb: "plan", args: line("plan flip.yaml"), loader: "trial"},
	{verb: "score", args: line("score --qrels own.qrels --run TRIAL/runs/own.test.trec.gz --format json")},
	{verb: "score", args: line("score --qrels own.qrels --run runs/eval/runs/own.test.trec.gz --format json")},
	{verb: "compare", args: line("compare TRIAL/runs/own.test.trec.gz runs/eval/runs/own.test.trec.gz --qrels own.qrels --format json")},
	{verb: "evaluate", load: loadAsEvaluation},
	{verb: "encode", args: line("encode own --field query --model TRIAL/model --out out/v.npy"), loader: "model"},
	{verb: "encode", args: line("encode own --field query --model trained/model --out out/v.npy"), loader: "model"},
	{verb: "evaluate", args: line("evaluate --model TRIAL/model --data own --out out"), loader: "model"},
	{verb: "evaluate", args: line("evaluate --model trained/model --data own --out out"), loader: "model"},
	{verb: "probe", args: line("probe TRIAL/model own --out out"), loader: "model"},
	{verb: "models check", args: line("models check TRIAL/model --format json")},
	{verb: "evaluate", args: line("evaluate --model runs/eval/runs/own.test.trec.gz --data own --out out")},
	{verb: "evaluate", args: line("evaluate --model bm25 --data mine --out out")},
	{verb: "import", args: line("import runs/eval/runs/own.test.trec.gz --data own --model x/y --out runs/imported")},
	{verb: "data diversity", args: line("data diversity texts.jsonl --field text --embeddings vectors.npy --resamples 9 --format json")},
	{verb: "data map", args: line("data map vectors.npy --sample 0 --neighbours 3 --out out")},
	{verb: "curate", load: loadAsCurate},
	{verb: "data stats", args: line("data stats ./corpus --format json"), loader: "training data"},
	{verb: "data overlap", args: line("data overlap ./corpus own --out out/overlap.json"), loader: "training data"},
	{verb: "data mine", args: line("data mine --data ./corpus --model bm25 --negatives 1 --out out/mined.jsonl"), loader: "training data"},
	{verb: "train", args: line("train judged.yaml --out out"), loader: "training data"},
	{verb: "data verify", args: line("data verify")},
	{verb: "data annotate read", load: loadPicks, loader: "picks"},
	{verb: "data annotate read", args: line("data annotate read corpus --resamples 9 --format json"), loader: "picks"},
	{verb: "data annotate sheet", args: line("data annotate sheet corpus --sample 3 --annotators ann --out out"), loader: "picks"},
	{verb: "models cache ls", args: line("models cache ls vectors")},
	{verb: "models cache verify", args: line("models cache verify vectors")},
}

// unflipped are the verbs (with their subcommands) that read no such file, or that read as
// another one does.
var unflipped = map[string]string{
	"list": "reads nothing", "serve": "reads a folder as status and report do, and goes on", "version": "reads nothing", "exit-codes": "a topic", "experiment": "a topic", "help": "reads nothing", "man": "reads nothing", "init": "reads training data as data stats does", "models settings": "reads nothing",
	"gpu-check": "measures this machine", "open-device": "measures this machine",
	"data agreement": "reads a table that people wrote", "board": "reads a table that people wrote", "score agents": "reads answers that another program wrote", "models fetch": "writes what the hub has", "data fetch": "writes what the hub has",
	"data import": "hashes a folder", "data records": "reads a collection as evaluate does", "data show": "counts as data import does", "models cache prune": "reads as models cache verify does", "models push": "opens a folder as models check does", "models merge": "reads as evaluate does",
}

// loadRun reads a run folder as all verbs do that show results.
func loadRun(dir string) func(io.Writer, string) error {
	return func(stdout io.Writer, _ string) error {
		exps, err := runs.LoadAll([]string{dir})
		if err != nil {
			return err
		}
		return json.NewEncoder(stdout).Encode(exps)
	}
}

// loadShown reads the files that pages show in addition to results.
func loadShown(stdout io.Writer, _ string) error {
	exps, err := runs.LoadAll([]string{"runs/flip"})
	if err != nil {
		return err
	}
	if err := runs.AddQueries(exps); err != nil {
		return err
	}
	overlaps, err := contamination.Shown(exps)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode([]any{exps, overlaps})
}

// loadStudies reads studies of data, not of systems.
func loadStudies(stdout io.Writer, _ string) error {
	for _, kind := range []string{"map", "data", "agreement", "funnel", "diversity"} {
		studies, err := runs.ReadStudies(kind)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(stdout).Encode(studies); err != nil {
			return err
		}
	}
	return nil
}

// loadAsSweep reads a run folder as sweep does before it runs anything: damaged trials are to
// run again.
func loadAsSweep(stdout io.Writer, _ string) error {
	folder := runs.At("runs/flip")
	plan, err := folder.Plan()
	if err != nil {
		return err
	}
	todo, err := pending(folder, plan, stdout)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d to run\n", len(todo))
	return nil
}

// loadAsTrial reads a run folder as trial does before it computes one, and repeat before
// it compares.
func loadAsTrial(stdout io.Writer, _ string) error {
	plan, err := runs.At("runs/flip").Plan()
	if err != nil {
		return err
	}
	at := runs.At("runs/flip").Trial(plan.Trials[0].ID)
	if err := at.Marker().Verify(); err != nil {
		return err
	}
	var kept results.Trial
	if err := at.Reader().Trial(&kept); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(kept)
}

// loadPicks reads the picks of a corpus's judges.
func loadPicks(stdout io.Writer, _ string) error {
	rated, err := annotate.Read("corpus", nil)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(rated)
}

// loadAsCurate reads a finished corpus as curate does to print it again.
func loadAsCurate(stdout io.Writer, _ string) error {
	done, err := curate.Finished("corpus")
	if err != nil {
		return err
	}
	funnel, err := curate.ReadFunnel("corpus")
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode([]any{done, funnel})
}

// loadAsEvaluation reads an evaluation as evaluate does before it adds to it.
func loadAsEvaluation(stdout io.Writer, _ string) error {
	var was results.Trial
	if err := results.At("runs/eval").Reader().Trial(&was); err != nil {
		return err
	}
	values, taken, err := results.At("runs/eval").Journal().Earlier(&was)
	fmt.Fprintln(stdout, taken)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(values)
}
