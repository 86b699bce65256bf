package runners

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// openAI is the interface of OpenAI's /embeddings, which Text Embeddings
// Inference, vLLM, Ollama and others offer too. It makes no difference between
// queries and documents.
type openAI struct{}

var _ dialect = openAI{}

func (openAI) address() string { return "" }

// texts: OpenAI takes 2048, Text Embeddings Inference 32 unless told otherwise.
func (openAI) texts() (usual, most int) { return 32, 2048 }

func (openAI) authorize(req *http.Request, key secret.Secret) { key.Authorize(req) }

func (openAI) request(o *RemoteOptions, _ role, texts []string) (string, any) {
	return "/embeddings", map[string]any{"model": o.Model, "input": texts, "encoding_format": "float"}
}

// read puts the vectors in order by their index: they may come in any.
func (openAI) read(body []byte, texts []string) (answer, error) {
	var sent struct {
		Data []struct {
			Index     *int       `json:"index"`
			Embedding []*float32 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			TotalTokens endpoint.Count `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := endpoint.Decode(body, &sent); err != nil {
		return answer{}, err
	}
	a := answer{tokens: int64(sent.Usage.TotalTokens)}
	if len(sent.Data) != len(texts) {
		return a, fmt.Errorf("%d vectors for %d texts", len(sent.Data), len(texts))
	}
	a.vectors = make([][]*float32, len(texts))
	seen := make([]bool, len(texts))
	for _, d := range sent.Data {
		if d.Index == nil || *d.Index < 0 || *d.Index >= len(texts) || seen[*d.Index] {
			return a, errors.New("the indices of the vectors are not those of the texts")
		}
		seen[*d.Index], a.vectors[*d.Index] = true, d.Embedding
	}
	return a, nil
}

func (openAI) wait([]byte) time.Duration { return 0 }
