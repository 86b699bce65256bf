package runners

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// openAI is the interface of OpenAI's /embeddings, which Text Embeddings Inference, vLLM,
// Ollama and others offer too. It does not distinguish queries and documents.
type openAI struct{}

var _ dialect = openAI{}

func (openAI) address() string { return "" }

// texts: OpenAI accepts 2048, Text Embeddings Inference 32 by default.
func (openAI) texts() (usual, most int) { return 32, 2048 }

func (openAI) authorize(req *http.Request, key secret.Secret) { key.Authorize(req) }

func (openAI) request(o *RemoteOptions, _ role, texts []string) (string, any) {
	return "/embeddings", map[string]any{"model": o.Model, "input": texts, "encoding_format": "float"}
}

// read sorts the vectors by their index, since they may come in any order.
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
