package nearest

import (
	"slices"
	"strings"
)

// term is the equivalent here of a name in another tool. It is used only if known, if not empty, is
// among the possible names.
type term struct{ known, here string }

// elsewhere are names in sentence-transformers, transformers, PyTorch and mteb, by kind and
// normalized by plain.
var elsewhere = map[string]map[string]term{
	"loss": {
		"infonce":                        {"uni:P", "uni:P, with 1/scale as train.temperature"},
		"ntxent":                         {"uni:P", "uni:P, with 1/scale as train.temperature"},
		"mnrl":                           {"uni:P", "uni:P, with 1/scale as train.temperature"},
		"multiplenegativesranking":       {"uni:P", "uni:P, with 1/scale as train.temperature"},
		"inbatchnegatives":               {"uni:P", "uni:P"},
		"contrastive":                    {"uni:P", "uni:P"},
		"cachedmnrl":                     {"uni:P", "uni:P with train.chunk"},
		"cachedmultiplenegativesranking": {"uni:P", "uni:P with train.chunk"},
		"cachedinfonce":                  {"uni:P", "uni:P with train.chunk"},
		"gradcache":                      {"uni:P", "uni:P with train.chunk"},
		"gistembed":                      {"uni:P", "uni:P with train.false_negatives"},
		"matryoshka":                     {"uni:P", "any loss with train.matryoshka"},
	},
	"key": {
		"batchsize":                 {"rows_per_group", "rows_per_group, times groups"},
		"trainbatchsize":            {"rows_per_group", "rows_per_group, times groups"},
		"perdevicetrainbatchsize":   {"rows_per_group", "rows_per_group, times groups"},
		"learningrate":              {"lr", "lr"},
		"numtrainepochs":            {"epochs", "epochs"},
		"numepochs":                 {"epochs", "epochs"},
		"maxepochs":                 {"epochs", "epochs"},
		"maxsteps":                  {"steps", "steps"},
		"numsteps":                  {"steps", "steps"},
		"gradientaccumulationsteps": {"accumulate", "accumulate"},
		"gradientaccumulation":      {"accumulate", "accumulate"},
		"minibatchsize":             {"chunk", "chunk"},
		"gradientcache":             {"chunk", "chunk"},
		"warmupratio":               {"warmup", "warmup"},
		"warmupsteps":               {"warmup", "warmup, a share of all steps"},
		"lrscheduler":               {"schedule", "schedule"},
		"lrschedulertype":           {"schedule", "schedule"},
		"maxgradnorm":               {"clip", "clip"},
		"gradclip":                  {"clip", "clip"},
		"gradientclipval":           {"clip", "clip"},
		"gradientcheckpointing":     {"checkpointing", "checkpointing"},
		"fp16":                      {"precision", "precision"},
		"bf16":                      {"precision", "precision: bf16"},
		"mixedprecision":            {"precision", "precision"},
		"dtype":                     {"precision", "precision"},
		"droplast":                  {"last_batch", "last_batch: drop"},
		"dataloaderdroplast":        {"last_batch", "last_batch: drop"},
		"evalsteps":                 {"evaluate_every", "evaluate_every"},
		"earlystoppingpatience":     {"patience", "patience"},
		"hardnegatives":             {"negatives", "negatives"},
		"numnegatives":              {"negatives", "negatives"},
		"numhardnegatives":          {"negatives", "negatives"},
		"scale":                     {"temperature", "temperature, 1/scale"},
		"tau":                       {"temperature", "temperature"},
		"matryoshkadims":            {"matryoshka", "matryoshka: {dims: [...]}"},
		"peft":                      {"lora", "lora"},
		"modelname":                 {"backbone", "backbone"},
		"modelnameorpath":           {"backbone", "backbone"},
		"basemodel":                 {"backbone", "backbone"},
		"encoder":                   {"backbone", "backbone"},
		"dataset":                   {"data", "data"},
		"traindata":                 {"data", "data"},
		"traindataset":              {"data", "data"},
		"randomseed":                {"seed", "seed"},
		"seeds":                     {"seed", "seed; several are an axis of matrix"},
		"hyperparameters":           {"train", "train"},
		"trainingargs":              {"train", "train"},
		"benchmarks":                {"evaluate", "evaluate"},
		"tasks":                     {"evaluate", "evaluate"},
		"eval":                      {"evaluate", "evaluate"},
		"grid":                      {"matrix", "matrix"},
		"sweep":                     {"matrix", "matrix"},
		"parameters":                {"matrix", "matrix"},
	},
	"benchmark": {
		"beir":                         {"beir-scifact", "one benchmark for each of its data sets, such as beir-scifact"},
		"mteb":                         {"", "each task by its repository, ORG/NAME of the hub, or rteb and beir-scifact by name"},
		"fiqa2018":                     {"beir-fiqa", "beir-fiqa"},
		"touche":                       {"beir-touche2020", "beir-touche2020"},
		"webistouche2020":              {"beir-touche2020", "beir-touche2020"},
		"quoraretrieval":               {"beir-quora", "beir-quora"},
		"core17instructionretrieval":   {"followir", "a task of followir"},
		"news21instructionretrieval":   {"followir", "a task of followir"},
		"robust04instructionretrieval": {"followir", "a task of followir"},
	},
	"backbone": hubModels,
	"model":    hubModels,
}

// hubModels are models that sentence-transformers and transformers accept without the organisation.
var hubModels = map[string]term{
	"allminilml6v2":           {"", "sentence-transformers/all-MiniLM-L6-v2, once models fetch brought it"},
	"allminilml12v2":          {"", "sentence-transformers/all-MiniLM-L12-v2, once models fetch brought it"},
	"allmpnetbasev2":          {"", "sentence-transformers/all-mpnet-base-v2, once models fetch brought it"},
	"multiqampnetbasedotv1":   {"", "sentence-transformers/multi-qa-mpnet-base-dot-v1, once models fetch brought it"},
	"msmarcodistilbertbasev4": {"", "sentence-transformers/msmarco-distilbert-base-v4, once models fetch brought it"},
	"bertbaseuncased":         {"", "google-bert/bert-base-uncased, once models fetch brought it"},
	"distilbertbaseuncased":   {"", "distilbert/distilbert-base-uncased, once models fetch brought it"},
	"robertabase":             {"", "FacebookAI/roberta-base, once models fetch brought it"},
	"mpnetbase":               {"", "microsoft/mpnet-base, once models fetch brought it"},
}

// here returns the equivalent of another tool's name; "" if there is none.
func (e *UnknownError) here() string {
	name := e.Name
	if len(name) > 64 {
		return ""
	}
	if e.Kind == "loss" {
		name = strings.TrimSuffix(name, "Loss")
	}
	t := elsewhere[e.Kind][plain(name)]
	if t.known != "" && !slices.Contains(e.Known, t.known) {
		return ""
	}
	return t.here
}

// plain returns a name in lower case without spaces, hyphens and underscores.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}
