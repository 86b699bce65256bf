package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"infbench/runners"
	"infbench/runners/approximate"
	"infbench/runners/catalog"
	"infbench/runners/spec"
)

// keptVectors is the help of --cache where one model is opened.
const keptVectors = "folder that keeps vectors from one run to the next (see infbench models cache)"

// Model declares the flags of a model that ranks.
func Model(cmd *cobra.Command, o *catalog.ModelOptions) {
	f := cmd.Flags()
	Group(f, ModelFlags, func() {
		f.StringVar(&o.Model, "model", "", "a name (infbench list models), a model of the hub that was fetched (ORG/NAME or its card's name), a HuggingFace model folder or a TREC run file")
		f.StringVar(&o.First, "first", "", "model that finds the documents which a cross-encoder, a judge or a late-interaction model scores (default each query's candidates, or every document)")
		f.IntVar(&o.Depth, "depth", spec.UsualDepth, "documents that --first finds for a query")
		f.StringArrayVar(&o.Fuse, "fuse", nil, "join the rankings with this model's by reciprocal rank fusion; may be repeated")
		f.Int64Var(&o.Seed, "seed", 1, "seed of the model random")
	})
	Group(f, VectorFlags, func() {
		f.StringVar(&o.Similarity, "similarity", "", "how vectors are compared: cosine or dot, of vectors as pooled, before any Normalize module (default what the model's folder says, else cosine); those of tokens: maxsim, the default, or maxsim-padded, as PyLate ranks candidates")
		f.StringVar(&o.Storage, "storage", "", "what a late-interaction model's vectors of documents are stored in: float32, the default, float16 or int8; how far its scores lie from float32's is measured")
		prompts(cmd, o)
		f.IntVar(&o.Dims, "dims", 0, "cut vectors to so many first values, normalised again (default: the truncate_dim of the model's folder, else all)")
		precision(cmd, o)
		CachedDevice(cmd, &o.Options, keptVectors)
		Search(cmd, &o.Options)
	})
	Group(f, IndexFlags, func() { index(cmd, &o.Index) })
	remote(cmd, &o.Remote)
	Group(f, ChatFlags, func() { chat(cmd, &o.Language) })
}

// Encoder declares the flags of a model that is asked for vectors alone.
func Encoder(cmd *cobra.Command, o *catalog.ModelOptions) {
	f := cmd.Flags()
	Group(f, ModelFlags, func() {
		f.StringVar(&o.Model, "model", "", "a HuggingFace model folder, a model of the hub that was fetched (ORG/NAME or its card's name), or remote")
	})
	o.Depth = 1
	Group(f, VectorFlags, func() {
		precision(cmd, o)
		prompts(cmd, o)
	})
	CachedDevice(cmd, &o.Options, keptVectors)
	remote(cmd, &o.Remote)
}

// prompts declares the flags that choose prompts of a model's folder.
func prompts(cmd *cobra.Command, o *catalog.ModelOptions) {
	f := cmd.Flags()
	f.StringVar(&o.QueryPrompt, "query-prompt", "", "prompt before queries, by its name in the model folder's config_sentence_transformers.json (default its card's, else query)")
	f.StringVar(&o.DocumentPrompt, "document-prompt", "", "prompt before documents, by its name there (default its card's, else document)")
}

func precision(cmd *cobra.Command, o *catalog.ModelOptions) {
	cmd.Flags().StringVar((*string)(&o.Precision), "precision", "", "in what networks multiply matrices: float32, the default, or bf16, which is faster on a GPU; how far its scores lie from float32's is measured")
}

// index declares the flags of an approximate search. Endpoints declares the one that names
// its server.
func index(cmd *cobra.Command, i *spec.Index) {
	f, usual := cmd.Flags(), approximate.UsualGraph()
	f.StringVar(&i.Engine, "index", "", "search a whole corpus approximately, through a server at --index-url: chroma; how much of what the exact search finds it found is measured (default the exact search)")
	f.IntVar(&i.Neighbors, "index-neighbors", 0, fmt.Sprintf("links of a vector in the server's graph, M of HNSW (default %d)", usual.Neighbors))
	f.IntVar(&i.Build, "index-build", 0, fmt.Sprintf("vectors looked at to link one, efConstruction of HNSW (default %d)", usual.Build))
	f.IntVar(&i.Search, "index-search", 0, fmt.Sprintf("vectors looked at for a query, ef of HNSW (default %d, and never fewer than are asked for)", usual.Search))
}

// chat declares the flags of a language model; its address is --url.
func chat(cmd *cobra.Command, c *spec.Chat) {
	f := cmd.Flags()
	f.StringVar(&c.Model, "chat-model", "", "language model that --model chat asks at --url")
	f.StringVar(&c.How, "how", "", "how a language model is asked: pointwise (the default), graded, pairwise or listwise")
	f.IntVar(&c.Window, "window", 0, "documents of a listwise window (default 20)")
	f.IntVar(&c.Step, "step", 0, "documents that the window moves by (default 10)")
	f.IntVar(&c.Orders, "orders", 0, "orders in which a listwise window is given, whose answers are merged (permutation self-consistency, which takes 20; default 1)")
	f.IntVar(&c.Passes, "passes", 0, "passes of pairwise comparison (default 10)")
	f.IntVar(&c.Bytes, "document-bytes", 0, "bytes of a document that the language model sees (default 4000)")
	f.IntVar(&c.Tokens, "answer-tokens", 0, "tokens that an answer may have (default what its form takes; models that think first need thousands)")
	f.StringVar(&c.Structure, "structure", "", "how the form of answers is asked for: schema (the default), object or words, for servers without structured output")
	f.BoolVar(&c.Reasoning, "reasoning", false, "the language model thinks before it answers: it takes max_completion_tokens and no temperature")
}

// remote declares the flags of an endpoint for vectors.
func remote(cmd *cobra.Command, o *catalog.RemoteOptions) {
	f := cmd.Flags()
	Group(f, RemoteFlags, func() {
		f.StringVar(&o.API, "remote-api", "", "interface of --model remote: "+strings.Join(runners.RemoteAPIs(), ", ")+" (default openai, which many servers speak)")
		f.StringVar(&o.URL, "url", "", "address of the endpoint up to and with the version (default the provider's; openai has none)")
		f.StringVar(&o.Model, "remote-model", "", "model that the endpoint is asked for")
		f.IntVar(&o.Dim, "dim", 0, "values of the remote model's vectors")
		f.StringVar(&o.QueryTemplate, "query-template", "", `how a remote model's queries are joined (default its card's, else "{query} {instruction}")`)
	})
	Endpoints(cmd, &o.RemoteUse)
}

// Endpoints declares the flags that bound how endpoints are asked and name their keys.
func Endpoints(cmd *cobra.Command, u *catalog.RemoteUse) {
	f := cmd.Flags()
	Group(f, AskingFlags, func() {
		f.StringVar(&u.KeyEnv, "key-env", "", "environment variable that holds the key of a remote model's endpoint, or API=VARIABLE,... of several")
		f.StringVar(&u.KeyFile, "key-file", "", "file that holds the key of a remote model's endpoint and nothing else")
		f.Float64Var(&u.Rate, "rate", 0, "requests to an endpoint in a second (0: no limit)")
		f.Int64Var(&u.Budget, "budget", 0, "tokens of one evaluation after which an endpoint is asked no more (0: no limit)")
		f.StringVar(&u.Price, "price", "", "what a million tokens of a language model cost, INPUT,OUTPUT as in 0.15,0.6")
		f.Float64Var(&u.Cost, "max-cost", 0, "money of one evaluation that no question to a language model may pass, in the currency of --price (0: no limit)")
		f.StringVar(&u.Answers, "answers", "", "folder that keeps the answers of language models, so that nothing is paid twice, or off (default "+catalog.ChatAnswers+")")
		f.BoolVar(&u.Batch, "batch", false, "ask the pointwise and graded questions of a task to a language model by the endpoint's batches, which are slower and cheaper")
		f.StringVar(&u.Replay, "replay", "", "folder of recorded answers that a language model is replaced by; nothing is sent")
	})
	Group(f, IndexFlags, func() {
		f.StringVar(&u.IndexURL, "index-url", "", "address of the server that an index is searched by, such as http://localhost:8000")
	})
}
