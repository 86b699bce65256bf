package minihub

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"strings"
)

// Dim is the number of dimensions of Endpoint's vectors, except for the models that the paper
// names.
const Dim = 64

// dims are the dimensions of the paper's models.
var dims = map[string]int{"text-embedding-3-large": 3072, "embed-english-v3.0": 1024}

// Endpoint computes vectors for remote models of any name, with the interfaces of OpenAI
// (/v1/embeddings), Cohere (/v2/embed) and Google (/v1beta/models/NAME:batchEmbedContents).
// The vector of a text counts its words, so that texts on the same topic are close.
type Endpoint struct{ Key string }

// ServeHTTP answers one request.
func (e Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.Key != "" && r.Header.Get("Authorization") != "Bearer "+e.Key && r.Header.Get("x-goog-api-key") != e.Key {
		http.Error(w, `{"error":{"message":"Incorrect API key provided"}}`, http.StatusUnauthorized)
		return
	}
	var sent struct {
		Model    string   `json:"model"`
		Input    []string `json:"input"` // OpenAI
		Texts    []string `json:"texts"` // Cohere
		Requests []struct {
			Content struct {
				Parts []struct {
					Text string `json:"text"`
				} `json:"parts"`
			} `json:"content"`
		} `json:"requests"` // Google
	}
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	texts := append(sent.Input, sent.Texts...)
	for _, request := range sent.Requests {
		for _, part := range request.Content.Parts {
			texts = append(texts, part.Text)
		}
	}
	var vectors [][]float32
	var data, values []object
	words := 0
	for i, text := range texts {
		v := counts(text, cmp.Or(dims[sent.Model], Dim))
		words += len(strings.Fields(text))
		vectors = append(vectors, v)
		data = append(data, object{"object": "embedding", "index": i, "embedding": v})
		values = append(values, object{"values": v})
	}
	switch {
	case r.URL.Path == "/v1/embeddings":
		answer(w, object{"object": "list", "data": data, "usage": object{"prompt_tokens": words, "total_tokens": words}})
	case r.URL.Path == "/v2/embed":
		answer(w, object{"embeddings": object{"float": vectors}, "texts": texts, "meta": object{"billed_units": object{"input_tokens": words}}})
	case strings.HasPrefix(r.URL.Path, "/v1beta/models/") && strings.HasSuffix(r.URL.Path, ":batchEmbedContents"):
		answer(w, object{"embeddings": values})
	default:
		http.NotFound(w, r)
	}
}

// counts counts the words of a text, each at an index derived from its hash.
func counts(text string, dim int) []float32 {
	v := make([]float32, dim)
	v[0] = 1 // every text has a direction
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		h := fnv.New32a()
		h.Write([]byte(word))
		v[h.Sum32()%uint32(dim)]++
	}
	return v
}
