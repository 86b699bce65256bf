package keys

import (
	"fmt"

	"infbench/runners/spec"
)

// said is what a person says of a key. Type and default are the parser's, and the names
// that it takes are those that it lists where it refuses one.
type said struct {
	path    string
	in      string // an interval that numbers lie in: "[0,1)"
	unit    string
	unsaid  string // what holds where nothing is said, in words, where the default does not tell
	meaning string
	source  string // the paper or the code that it comes from
}

// Sources.
const (
	paper       = "InF-IR paper (arXiv 2505.21439)"
	code        = "InF-Embed reference code"
	paperOrCode = "InF-IR paper, or its code: see train.fidelity"
	trainer     = "Hugging Face Trainer, which the reference code runs"
	lora        = "LoRA (arXiv 2106.09685), as PEFT has it"
	own         = "infbench"
)

// table says of every key of an experiment file what it is, in the order of the file.
var table = []said{
	{path: "name", unsaid: "required", meaning: "name of the experiment and of its run folder, runs/NAME: up to 64 letters, digits, '.', '_' and '-'", source: own},
	{path: "question", unsaid: "told from what varies", meaning: "what the experiment is to answer, which heads its report: up to 300 characters in a line; no part of a trial's ID", source: own},
	{path: "base", unsaid: "all defaults", meaning: "settings that every trained cell starts from", source: own},

	{path: "data", meaning: "training data: a corpus (infbench list corpora), a file or folder with triplets, ORG/NAME of the hub, or a mixture with weights, \"a:0.8 + ./b.jsonl:0.2@0.4\" (b joins after 0.4 of training)", source: paper},
	{path: "drop", unsaid: "none", meaning: "poisoned parts of records to train without: I-, Q-, P- (passages only), joined by commas, or none", source: "InF-IR paper, figure 6"},
	{path: "share", in: "[0,∞)", unit: "share of the records up to 1, records above", unsaid: "all", meaning: "how much of the records to train on; smaller shares lie within larger ones of the same seed", source: own},
	{path: "judge", unsaid: "what the data itself keeps", meaning: "whose verdicts keep a record of a folder that curate made: a judge's name, majority, unanimous or none", source: "InF-IR paper, section 4"},
	{path: "world", meaning: "seed of the generated world that data and benchmarks called mini-... come from", source: own},
	{path: "backbone", meaning: "network to train: a tiny one (infbench list backbones), a HuggingFace folder, or ORG/NAME[@REVISION] of the hub once fetched", source: paper},
	{path: "loss", meaning: "objective: uni, multi or sig over the terms P, I, IQ (and ST, IP of the code); multi:P+I is multi(P,I) without quotes; names of the reference code, as map_add/qk, are read too, and losses of your own (docs/library.md)", source: "InF-IR paper, appendix C"},
	{path: "interaction", meaning: "how instruction and query meet: as one text, or by cross attention", source: "InF-IR paper, section 5"},

	{path: "design", unsaid: "the backbone's", meaning: "what is changed in the backbone and in how it reads texts", source: "InF-IR paper, table 4"},
	{path: "design.share_encoder", unsaid: "true", meaning: "one encoder for queries and documents; false trains two", source: "InF-IR paper, table 4"},
	{path: "design.pooling", unsaid: "the backbone's", meaning: "how the states of a text's tokens become one vector", source: "InF-IR paper, table 4"},
	{path: "design.padding_side", unsaid: "the backbone's", meaning: "where short rows of a batch are filled up; it tells in networks with absolute positions only", source: code},
	{path: "design.truncation_side", unsaid: "the backbone's", meaning: "where texts that are too long are cut", source: code},
	{path: "design.prompts", unsaid: "true", meaning: "keep what the backbone's templates write around texts, as \"query: \"", source: own},
	{path: "design.join", unsaid: "the backbone's, or what train.fidelity says", meaning: "order of instruction and query in one text, or a template with {query} and {instruction}", source: paperOrCode},
	{path: "design.concat", unsaid: "text", meaning: "join instruction and query as texts, or as tokens that were read apart", source: code},
	{path: "design.max_query_tokens", in: "[0,∞)", unit: "tokens", unsaid: "the backbone's", meaning: "length at which queries with their instructions are cut", source: "reference code: 256"},
	{path: "design.max_document_tokens", in: "[0,∞)", unit: "tokens", unsaid: "the backbone's", meaning: "length at which documents are cut", source: "reference code: 512"},

	{path: "seed", meaning: "moves everything random: fresh weights, order of data, sampled negatives, dropout", source: own},

	{path: "train", unsaid: "the defaults below", meaning: "how to train", source: paper},
	{path: "train.epochs", in: "[1,∞)", unit: "passes over the data", meaning: "length of training, unless train.steps says it", source: "InF-IR paper, table 4"},
	{path: "train.rows_per_group", in: "[1,∞)", unit: "rows, of which a record has three", meaning: "rows of a group, from which local instruction negatives come", source: "InF-IR paper: 4 records a device"},
	{path: "train.groups", in: "[1,∞)", unit: "groups", meaning: "groups of a batch; passages are contrasted with those of all of them", source: "InF-IR paper: 8 devices"},
	{path: "train.chunk", in: "[0,∞)", unit: "sequences", unsaid: "0: all at once", meaning: "sequences embedded at a time; the same step in less memory", source: "GradCache (arXiv 2101.06983)"},
	{path: "train.steps", in: "[0,∞)", unit: "optimiser steps", unsaid: "0: as many as the epochs take", meaning: "length of training in the place of train.epochs", source: own},
	{path: "train.steps_of", unsaid: "the cell's own data", meaning: "training data on which train.epochs are counted: as many steps as they take there", source: own},
	{path: "train.last_batch", unsaid: "drop", meaning: "records that fill no batch at the end of an epoch: dropped, or filled up with the first of the epoch", source: trainer},
	{path: "train.accumulate", in: "[0,∞)", unit: "batches", unsaid: "0: one", meaning: "batches of a step, whose losses are averaged; each keeps to its own negatives", source: trainer},
	{path: "train.batches", unsaid: "mixed", meaning: "of a mixture: records of all sources in a batch, or each batch of one source", source: own},
	{path: "train.drop_overlap", meaning: "leave out records that share a query or a passage with the tests", source: own},
	{path: "train.lr", in: "(0,∞)", unit: "step of AdamW", meaning: "learning rate at its height; a network with fresh weights wants about a hundred times the default", source: paper},
	{path: "train.schedule", meaning: "how the learning rate falls after the warm-up", source: trainer},
	{path: "train.warmup", in: "[0,1]", unit: "share of all steps", meaning: "part of training in which the learning rate climbs from 0", source: trainer},
	{path: "train.weight_decay", in: "[0,∞)", unit: "a step, times the learning rate", meaning: "decoupled weight decay", source: "AdamW (arXiv 1711.05101)"},
	{path: "train.decay_all", meaning: "decay biases and norms too", source: own},
	{path: "train.clip", in: "[0,∞)", unit: "norm of all gradients", meaning: "largest gradient norm; 0 never clips", source: trainer},
	{path: "train.dropout", in: "[0,1)", unit: "share of values", meaning: "values that training sets to zero, in the places of the network's family; evaluation drops none", source: "the backbone's paper"},
	{path: "train.precision", unsaid: "float32", meaning: "in what training multiplies matrices; weights stay float32", source: "reference code: bf16"},
	{path: "train.checkpointing", meaning: "compute layers a second time instead of keeping their states: a third more work, a fraction of the memory", source: "arXiv 1604.06174"},
	{path: "train.freeze", unsaid: "none", meaning: "modules whose weights stay: embeddings, encoder.layer.0", source: own},
	{path: "train.lora", unsaid: "all weights are trained", meaning: "train a low-rank adapter, which is merged into the weights at the end", source: lora},
	{path: "train.lora.r", in: "[0,∞)", unit: "rank", unsaid: "0: no adapter", meaning: "rank of the adapter", source: lora},
	{path: "train.lora.alpha", in: "[0,∞)", unsaid: "0: as much as r", meaning: "the adapter counts alpha / r", source: lora},
	{path: "train.lora.targets", unsaid: "all linear layers", meaning: "ends of the names of layers that are adapted, such as query", source: lora},
	{path: "train.lora.dropout", in: "[0,1)", unit: "share of values", meaning: "share of an adapted layer's input that training keeps from the adapter", source: lora},
	{path: "train.evaluate_every", in: "[0,∞)", unit: "steps", unsaid: "0: never", meaning: "steps between two looks at the validation; training ends with the best weights", source: own},
	{path: "train.patience", in: "[0,∞)", unit: "evaluations", unsaid: "0: any number", meaning: "evaluations in a row that may be no better before training stops", source: own},
	{path: "train.temperature", in: "(0,∞)", unit: "cosine", unsaid: "0.05, of fidelity paper 1", meaning: "what cosines are divided by in the softmax", source: code},
	{path: "train.fidelity", meaning: "preset where paper and code differ: recommended is the code without its false negatives, paper the printed equations, reference what the code computes", source: paperOrCode},
	{path: "train.duplicates", unsaid: "what train.fidelity says", meaning: "count the positive of a joint softmax once (mask) or once per term (keep)", source: "code: mask; paper, equations 18 to 21: keep"},
	{path: "train.iq_term", unsaid: "pair", meaning: "what varies in the term IQ: instruction and query together, or the query alone", source: "code and appendix: pair; paper, equations 6 and 7: query_only"},
	{path: "train.instruction_negatives", unsaid: "what train.fidelity says", meaning: "which instructions the term I contrasts the positive with", source: paperOrCode},
	{path: "train.instruction_negatives.scope", unsaid: "local, of fidelity paper global", meaning: "draw them from the row's group, or from the whole batch", source: paperOrCode},
	{path: "train.instruction_negatives.divisor", in: "[0,∞)", unit: "rows in scope for one candidate", unsaid: "2, of fidelity paper 1", meaning: "instructions that a row is contrasted with are rows in scope / divisor, its own among them", source: code + " (div_neg_batch)"},
	{path: "train.instruction_negatives.own_hard", unsaid: "always, of fidelity paper and reference chance", meaning: "how the poisoned instruction of a row's own record gets among them", source: paperOrCode},
	{path: "train.instruction_negatives.equal", unsaid: "as train.false_negatives.equal", meaning: "the older name of train.false_negatives.equal", source: paperOrCode},
	{path: "train.bias", in: "(-∞,∞)", unit: "scaled cosine", unsaid: "-10", meaning: "of the form sig alone: added to every score before its sigmoid; it is not learned", source: "SigLIP (arXiv 2303.15343)"},
	{path: "train.negatives", in: "[0,∞)", unit: "passages of a row", unsaid: "0: none", meaning: "mined negatives that a row takes, the first of those that its record lists; they are candidates of every row in the terms P and ST", source: "E5, Sentence Transformers"},
	{path: "train.false_negatives", unsaid: "equal texts, as train.fidelity says", meaning: "which negatives are left out because they may be answers", source: "GISTEmbed (arXiv 2402.16829)"},
	{path: "train.false_negatives.equal", unsaid: "mask, of fidelity paper and reference keep; plans spell it out where training data holds equal texts", meaning: "texts that equal the row's own, in every term: left out, or kept as false negatives", source: "Qwen3-Embedding (arXiv 2506.05176)"},
	{path: "train.false_negatives.guide", unsaid: "none", meaning: "who tells others by the cosine of query and passage: self, the model that is trained, or a model that gives vectors", source: "GISTEmbed (arXiv 2402.16829)"},
	{path: "train.false_negatives.margin", in: "(-∞,∞)", unit: "cosine, or share of the positive's", unsaid: "0.05", meaning: "a negative is left out where the guide's cosine is above the positive's less this; -0.1 with relative false is Qwen3-Embedding's", source: "NV-Retriever (arXiv 2407.15831)"},
	{path: "train.false_negatives.relative", unsaid: "true", meaning: "the margin is a share of the positive's cosine", source: "NV-Retriever (arXiv 2407.15831)"},
	{path: "train.false_negatives.own", unsaid: "keep", meaning: "whether the guide may leave out (mask) what the row's own record calls negative: to a guide that reads no instructions these look like answers", source: own},
	{path: "train.hardness", unsaid: "none", meaning: "make negatives harder that the model takes for answers", source: "LLaVE (arXiv 2503.04812)"},
	{path: "train.hardness.alpha", in: "[0,∞)", unit: "score for a cosine of 1", unsaid: "0: none", meaning: "times its cosine is added to a negative's score, in all terms but ST", source: "LLaVE (arXiv 2503.04812): 9; EmbeddingGemma (arXiv 2509.20354): 5"},
	{path: "train.hardness.on", unsaid: "own", meaning: "the negatives of a row's own record, those of others in the batch, or all", source: "EmbeddingGemma (arXiv 2509.20354): own; LLaVE: all"},
	{path: "train.focal", in: "[0,∞)", unit: "exponent", unsaid: "0: all rows weigh the same", meaning: "a row weighs its share of missing the positive to this power: what is solved counts less", source: "focal loss (arXiv 1708.02002)"},
	{path: "train.spread", in: "[0,∞)", unit: "weight", unsaid: "0: none", meaning: "weight of a regulariser that keeps the vectors of a batch apart", source: "spread-out (arXiv 1708.06320), EmbeddingGemma"},
	{path: "train.distill", unsaid: "no teacher", meaning: "follow a teacher's scores of the passages of a row, beside the contrastive loss", source: "arXiv 2505.19274"},
	{path: "train.distill.teacher", unsaid: "none", meaning: "scores: those that the data holds in its field teacher_scores; or a model that gives vectors, whose cosines they are (temperature 0.05, say)", source: own},
	{path: "train.distill.loss", unsaid: "kl", meaning: "how scores are compared: by the divergence of their softmaxes, or by margins", source: "kl: arXiv 2010.11386; margin_mse: arXiv 2010.02666"},
	{path: "train.distill.list", unsaid: "record", meaning: "passages that a row's scores are of: own, the row's with its mined negatives; record, those of its record; batch needs a teacher that is a model", source: own},
	{path: "train.distill.share", in: "[0,1]", unit: "share of the loss", unsaid: "0.5", meaning: "weight of the teacher; 1 is distillation alone", source: own},
	{path: "train.distill.temperature", in: "[0,∞)", unit: "score", unsaid: "1", meaning: "what the teacher's scores are divided by; the student's is train.temperature", source: own},
	{path: "train.matryoshka", unsaid: "the full width alone", meaning: "train the first values of vectors to be vectors themselves", source: "Matryoshka representations (arXiv 2205.13147)"},
	{path: "train.matryoshka.dims", in: "[1,∞)", unit: "values", unsaid: "none", meaning: "widths at which the loss is taken, and added up", source: "Matryoshka representations (arXiv 2205.13147)"},
	{path: "train.matryoshka.weights", in: "[0,∞)", unit: "weight", unsaid: "1 each", meaning: "weights of the widths, in their order", source: "Matryoshka representations (arXiv 2205.13147)"},
	{path: "train.matryoshka.per_step", in: "[0,∞)", unit: "widths", unsaid: "0: all", meaning: "so many of the widths a batch, drawn", source: "Sentence Transformers"},
	{path: "train.concat", unsaid: "as design.concat", meaning: "how training alone joins instruction and query", source: code},

	{path: "validate", unsaid: "no validation", meaning: "held-out queries that weights and configurations are chosen by, never those of the test", source: own},
	{path: "validate.data", unsaid: spec.HeldOut, meaning: spec.HeldOut + " (records that training does not see), or a benchmark that is not tested on, {mair: [DD_2015]} for tasks", source: own},
	{path: "validate.world", unsaid: "the cell's", meaning: "seed of the world of a generated benchmark", source: own},
	{path: "validate.task", unsaid: "all", meaning: "one task of the benchmark", source: own},
	{path: "validate.measure", unsaid: "required", meaning: "measure to choose by (infbench list measures), one that says which of two values is better", source: own},
	{path: "validate.queries", in: "[0,∞)", unit: "queries of a task, records held out", unsaid: "all, held out 100", meaning: "how many at most", source: own},
	{path: "validate.share", in: "[0,0.5]", unit: "share of the training records", unsaid: "0: no bound", meaning: "part of the records that is held out at most", source: own},

	{path: "precision", unsaid: "float32", meaning: "in what evaluation multiplies matrices", source: own},

	{path: "dims", in: "[0,∞)", unit: "values", unsaid: "0: all", meaning: "first values that vectors are cut to for evaluation, normalised again", source: "Matryoshka representations (arXiv 2205.13147)"},

	{path: "bases", unsaid: "none", meaning: "named starts over base, as a backbone with the settings that it wants; the matrix is spread over each", source: own},
	{path: "matrix", unsaid: "one cell", meaning: "axes: a dotted key and a list of its values; every combination is a cell", source: own},
	{path: "include", unsaid: "none", meaning: "further cells: settings that are spread over the axes they do not name", source: own},
	{path: "exclude", unsaid: "none", meaning: "cells to leave out: those that have all settings of an entry", source: own},

	{path: "baselines", unsaid: "none", meaning: "systems that train nothing: names (infbench list baselines), folders, ORG/NAME of the hub, run files, or mappings", source: own},
	{path: "baselines.model", meaning: "a model by name, where more is said of it", unsaid: "one of model, rerank and remote is required", source: own},
	{path: "baselines.rerank", meaning: "a model that scores pairs of query and document, or a language model: {chat: NAME, url: ...}", unsaid: "one of model, rerank and remote is required", source: own},
	{path: "baselines.rerank.chat", unsaid: "required of a language model", meaning: "language model as the endpoint knows it", source: "OpenAI chat completions"},
	{path: "baselines.rerank.url", unsaid: "required of a language model", meaning: "address of the endpoint up to and with the version", source: "OpenAI chat completions"},
	{path: "baselines.rerank.how", unsaid: "pointwise", meaning: "how it is asked to order documents", source: "RankGPT (arXiv 2304.09542), PRP (arXiv 2306.17563)"},
	{path: "baselines.rerank.window", in: "[2,∞)", unit: "documents", unsaid: "20", meaning: "documents of a listwise window", source: "RankGPT"},
	{path: "baselines.rerank.step", in: "[0,∞)", unit: "documents", unsaid: "10", meaning: "documents that a listwise window moves by", source: "RankGPT"},
	{path: "baselines.rerank.orders", in: "[0,∞)", unit: "orders", unsaid: "1", meaning: "orders in which a listwise window is given, whose answers are merged by Kemeny's rule", source: "permutation self-consistency, which takes 20"},
	{path: "baselines.rerank.passes", in: "[0,∞)", unit: "passes", unsaid: "10", meaning: "passes of pairwise comparison", source: "PRP-Sliding-10"},
	{path: "baselines.rerank.bytes", in: "[0,∞)", unit: "bytes", unsaid: "4000", meaning: "bytes of a document that it sees", source: own},
	{path: "baselines.rerank.tokens", in: "[0,∞)", unit: "tokens", unsaid: "what the form of an answer takes", meaning: "tokens that an answer may have; a model that thinks first needs thousands", source: own},
	{path: "baselines.rerank.structure", unsaid: "schema", meaning: "how the form of answers is asked for; words for servers without structured output", source: "OpenAI chat completions"},
	{path: "baselines.rerank.reasoning", meaning: "it thinks before it answers: it takes max_completion_tokens and no temperature", source: "OpenAI chat completions"},
	{path: "baselines.rerank.prompts", unsaid: "this infbench's", meaning: "hash of what is said to it: refused where this infbench says something else", source: own},
	{path: "baselines.remote", meaning: "an endpoint for embeddings; its key is named by --key-env", unsaid: "one of model, rerank and remote is required", source: own},
	{path: "baselines.remote.api", unsaid: "openai", meaning: "interface that it speaks", source: "the providers' documentation"},
	{path: "baselines.remote.url", unsaid: "the provider's; openai has none", meaning: "address up to and with the version", source: "the providers' documentation"},
	{path: "baselines.remote.model", unsaid: "required", meaning: "model that it is asked for", source: "the providers' documentation"},
	{path: "baselines.remote.dim", in: "[1,∞)", unit: "values", unsaid: "required", meaning: "values of its vectors", source: "the model's card"},
	{path: "baselines.remote.query_template", unsaid: "its card's, else {query} {instruction}", meaning: "how query and instruction are joined for it", source: "the model's card"},
	{path: "baselines.first", unsaid: "every document, or those that the benchmark lists", meaning: "what finds the documents that a model of pairs scores, such as bm25", source: own},
	{path: "baselines.depth", in: "[0,∞)", unit: "documents", unsaid: fmt.Sprintf("%d where first is given", spec.UsualDepth), meaning: "how many documents first finds", source: own},
	{path: "baselines.fuse", unsaid: "none", meaning: "models whose rankings are joined with its own, by reciprocal ranks", source: "reciprocal rank fusion (Cormack and others, 2009)"},
	{path: "baselines.similarity", unsaid: "its card's, else cosine; maxsim of late interaction", meaning: "how vectors are compared", source: "the model's card"},
	{path: "baselines.storage", unsaid: "float32", meaning: "what a late-interaction model's vectors of documents are stored in; how far scores lie from float32's is measured", source: own},

	{path: "baselines.index", unsaid: "the exact search", meaning: "a server that searches vectors approximately, at --index-url; how much of what the exact search finds it found is measured", source: own},
	{path: "baselines.index.engine", unsaid: "required", meaning: "what the server is", source: "Chroma's HTTP interface"},
	{path: "baselines.index.neighbors", in: "[0,∞)", unit: "links", unsaid: "32", meaning: "links of a vector in its graph, M", source: "HNSW (arXiv 1603.09320)"},
	{path: "baselines.index.build", in: "[0,∞)", unit: "vectors", unsaid: "200", meaning: "vectors looked at to link one, efConstruction", source: "HNSW"},
	{path: "baselines.index.search", in: "[0,∞)", unit: "vectors", unsaid: "200, and never fewer than are asked for", meaning: "vectors looked at for a query, ef", source: "HNSW"},

	{path: "evaluate", unsaid: "required", meaning: "what cells are tested on: benchmarks (infbench list benchmarks), {mair: [DD_2015]} for tasks, folders in BEIR's layout, names of data import, ORG/NAME of the hub", source: own},

	{path: "select", unsaid: "nothing is picked", meaning: "pick the best configuration; seeds are averaged", source: "InF-IR paper, table 2"},
	{path: "select.on", unsaid: "required", meaning: "pick on held-out queries, or on the test as the paper does, which every row then says", source: "InF-IR paper, table 2: test"},
	{path: "select.measure", unsaid: "that of validate", meaning: "measure to pick by (infbench list measures)", source: own},
	{path: "select.per", unsaid: "backbone", meaning: "settings of which each combination gets a pick of its own", source: own},

	{path: "stop_hopeless", unsaid: "no cell is stopped", meaning: "end cells early that cannot become the best, by held-out queries", source: own},
	{path: "stop_hopeless.alpha", in: "(0,0.5]", unit: "probability", unsaid: "required", meaning: "chance of ending a cell for sampling noise alone", source: own},

	{path: "forgetting", unsaid: "not asked", meaning: "ask whether training cost what the backbone could do before", source: own},
	{path: "forgetting.collections", unsaid: "required", meaning: "collections that it may have forgotten, named as under evaluate", source: own},
	{path: "forgetting.measure", meaning: "measure that they are scored by", source: "BEIR (arXiv 2104.08663)"},
	{path: "forgetting.margin", in: "(0,1)", unit: "the measure's, 0 to 1", unsaid: "required", meaning: "how much worse is as good as before: 0.02 is what tables print as 2.0", source: own},

	{path: "resources", unsaid: "the cluster's defaults", meaning: "what a cell asks of Slurm or Kubernetes; no ID depends on it", source: own},
	{path: "resources.gpus", in: "[0,1024]", unit: "GPUs", meaning: "devices of a cell", source: own},
	{path: "resources.cpus", in: "[0,65536]", unit: "processors", unsaid: "0: one", meaning: "processors of a cell", source: own},
	{path: "resources.memory", unit: "512MiB, 16GiB, bytes", unsaid: "the cluster's", meaning: "memory of a cell", source: own},
	{path: "resources.time", unit: "90m, 36h: whole minutes, 5m at least", unsaid: "the cluster's", meaning: "how long a cell may run at a stretch; it then saves its state and is queued again", source: own},
	{path: "resources.partition", unsaid: "the cluster's", meaning: "partition of Slurm", source: "sbatch"},
	{path: "resources.account", unsaid: "the user's", meaning: "account of Slurm", source: "sbatch"},
	{path: "resources.extra", unsaid: "none", meaning: "further options of sbatch, such as --constraint=a100", source: "sbatch"},
	{path: "resources.overrides", unsaid: "none", meaning: "other resources for some cells: entries with when and resources", source: own},
	{path: "resources.overrides.when", unsaid: "required", meaning: "settings that a cell must have, its model among them (trained, or a baseline)", source: own},
}
