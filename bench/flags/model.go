package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"infbench/runners"
	"infbench/runners/approximate"
	"infbench/runners/catalog"
	"infbench/runners/chatrank"
	"infbench/runners/spec"
)

// keptVectors is the help of --cache for verbs that open one model.
const keptVectors = "folder that keeps vectors between runs (see infbench models cache)"

// Model declares the flags of a ranking model.
func Model(cmd *cobra.Command, o *catalog.ModelOptions) {
	f := cmd.Flags()
	Group(f, ModelFlags, func() {
		f.StringVar(&o.Model, "model", "", "a name (infbench list models), a fetched model of the hub (ORG/NAME or its card's name), a HuggingFace model folder or a TREC run file")
		f.StringVar(&o.First, "first", "", "model that finds the documents for a cross-encoder, a judge or a late-interaction model to score (default: each query's candidates, or every document)")
		f.IntVar(&o.Depth, "depth", spec.UsualDepth, "number of documents that --first finds for a query")
		f.StringArrayVar(&o.Fuse, "fuse", nil, "merge the rankings with this model's by reciprocal rank fusion; may be repeated")
		f.Int64Var(&o.Seed, "seed", 1, "seed of the model random")
	})
	Group(f, VectorFlags, func() {
		f.StringVar(&o.Similarity, "similarity", "", "how vectors are compared: cosine or dot, of vectors as pooled, before any Normalize module (default: by the model's folder, else cosine); those of tokens: maxsim, the default, or maxsim-padded, as PyLate ranks candidates; sparse reads a masked language model as SPLADE")
		f.StringVar(&o.Storage, "storage", "", "format in which a late-interaction model's document vectors are stored: float32, the default, float16 or int8; the difference of its scores from float32's is measured")
		prompts(cmd, o)
		f.IntVar(&o.Dims, "dims", 0, "cut vectors to this many first values and normalise again (default: the truncate_dim of the model's folder, else all)")
		precision(cmd, o)
		CachedDevice(cmd, &o.Options, keptVectors)
		Search(cmd, &o.Options)
	})
	Group(f, IndexFlags, func() { index(cmd, &o.Index) })
	remote(cmd, &o.Remote)
	Group(f, ChatFlags, func() { chat(cmd, &o.Language) })
}

// Encoder declares the flags of a model that only computes vectors.
func Encoder(cmd *cobra.Command, o *catalog.ModelOptions) {
	f := cmd.Flags()
	Group(f, ModelFlags, func() {
		f.StringVar(&o.Model, "model", "", "a HuggingFace model folder, a fetched model of the hub (ORG/NAME or its card's name), or remote")
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
	f.StringVar(&o.QueryPrompt, "query-prompt", "", "prompt before queries, by its name in the model folder's config_sentence_transformers.json (default: the card's, else query)")
	f.StringVar(&o.DocumentPrompt, "document-prompt", "", "prompt before documents, by its name in the same file (default: the card's, else document)")
}

func precision(cmd *cobra.Command, o *catalog.ModelOptions) {
	cmd.Flags().StringVar((*string)(&o.Precision), "precision", "", "number format of matrix products in networks: float32, the default, or bf16, which is faster on a GPU and on processors that multiply bfloat16 fast; the difference of its scores from float32's is measured")
}

// index declares the flags of an approximate search. Endpoints declares the flag for its
// server.
func index(cmd *cobra.Command, i *spec.Index) {
	f, usual := cmd.Flags(), approximate.UsualGraph()
	f.StringVar(&i.Engine, "index", "", "search a complete corpus approximately, through a server at --index-url: chroma; its recall of the exact search's results is measured (default: the exact search)")
	f.IntVar(&i.Neighbors, "index-neighbors", 0, fmt.Sprintf("links of a vector in the server's graph, M of HNSW (default %d)", usual.Neighbors))
	f.IntVar(&i.Build, "index-build", 0, fmt.Sprintf("candidates for the links of a vector, efConstruction of HNSW (default %d)", usual.Build))
	f.IntVar(&i.Search, "index-search", 0, fmt.Sprintf("candidates for a query, ef of HNSW (default %d, and at least the number of results)", usual.Search))
}

// chat declares the flags of a language model; --url is its address.
func chat(cmd *cobra.Command, c *spec.Chat) {
	f := cmd.Flags()
	f.StringVar(&c.Model, "chat-model", "", "language model that --model chat asks at --url")
	f.StringVar(&c.How, "how", "", "how a language model is asked: pointwise (the default; by the log-odds of yes, where the endpoint gives log-probabilities), graded, pairwise or listwise")
	f.StringVar(&c.Recipe, "recipe", "", "texts of the questions and how answers are read: "+strings.Join(chatrank.Recipes(), ", ")+", or a YAML file (default infbench, in the way of --how)")
	f.IntVar(&c.Window, "window", 0, "documents of a listwise window or a setwise question (default: the recipe's, else 20)")
	f.IntVar(&c.Step, "step", 0, "number of documents by which the window moves (default: the recipe's, else 10)")
	f.IntVar(&c.Orders, "orders", 0, "orders of a listwise window or a setwise question, whose answers are merged (permutation self-consistency uses 20; default 1)")
	f.IntVar(&c.Passes, "passes", 0, "passes of pairwise comparison (default 10)")
	f.IntVar(&c.Bytes, "document-bytes", 0, "bytes of a document that are sent to the language model (default: the recipe's, else 4000)")
	f.IntVar(&c.Tokens, "answer-tokens", 0, "maximum number of tokens of an answer with its thoughts (default: the recipe's, else enough for its form; models that think first need thousands)")
	f.StringVar(&c.Structure, "structure", "", "how the form of answers is requested: schema (the default), object or words, for servers without structured output")
	f.BoolVar(&c.Reasoning, "reasoning", false, "the language model thinks before it answers: requests have max_completion_tokens and no temperature")
}

// remote declares the flags of an endpoint for vectors.
func remote(cmd *cobra.Command, o *catalog.RemoteOptions) {
	f := cmd.Flags()
	Group(f, RemoteFlags, func() {
		f.StringVar(&o.API, "remote-api", "", "interface of --model remote: "+strings.Join(runners.RemoteAPIs(), ", ")+" (default openai, which many servers support)")
		f.StringVar(&o.URL, "url", "", "address of the endpoint up to and including the version (default: the provider's; openai has none)")
		f.StringVar(&o.Model, "remote-model", "", "model to request from the endpoint")
		f.IntVar(&o.Dim, "dim", 0, "number of values of the remote model's vectors")
		f.StringVar(&o.QueryTemplate, "query-template", "", `how a remote model's queries and instructions are joined (default: its card's, else "{query} {instruction}")`)
	})
	Endpoints(cmd, &o.RemoteUse)
}

// Endpoints declares the flags for the limits, keys and costs of endpoints.
func Endpoints(cmd *cobra.Command, u *catalog.RemoteUse) {
	f := cmd.Flags()
	Group(f, AskingFlags, func() {
		f.StringVar(&u.KeyEnv, "key-env", "", "environment variable with the key of a remote model's endpoint, or API=VARIABLE,... for several")
		f.StringVar(&u.KeyFile, "key-file", "", "file that holds only the key of a remote model's endpoint")
		f.Float64Var(&u.Rate, "rate", 0, "maximum number of requests to an endpoint per second (0: no limit)")
		f.Int64Var(&u.Budget, "budget", 0, "tokens of one evaluation after which an endpoint gets no more requests (0: no limit)")
		f.StringVar(&u.Price, "price", "", "price of a million tokens of a language model, INPUT,OUTPUT as in 0.15,0.6")
		f.Float64Var(&u.Cost, "max-cost", 0, "largest amount that one evaluation may spend on a language model, in the currency of --price (0: no limit)")
		f.StringVar(&u.Answers, "answers", "", "folder that keeps the answers of language models, so that nothing is paid twice, or off (default "+catalog.ChatAnswers+")")
		f.BoolVar(&u.Batch, "batch", false, "send the pointwise and graded questions of a task through the endpoint's batches, which are slower and cheaper")
		f.StringVar(&u.Unusable, "unusable", "", "share of a task's answers that may be unusable, as in 10% (default 5% with --recipe, else 100%); with more, nothing is written")
		f.StringVar(&u.Replay, "replay", "", "folder of recorded answers to use instead of a language model; nothing is sent")
	})
	Group(f, IndexFlags, func() {
		f.StringVar(&u.IndexURL, "index-url", "", "address of the server for --index, such as http://localhost:8000")
	})
}
