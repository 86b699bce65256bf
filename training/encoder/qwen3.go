package encoder

// qwen3 is Qwen3's decoder (Qwen Team 2025, arXiv 2505.09388; transformers'
// Qwen3Model), of which Qwen3-Embedding and Qwen3-Reranker are: llama with an RMS norm
// of each head's queries and keys before they are turned, one gain for all heads, and
// heads as wide as head_dim says, whatever hidden_size. The defaults are Qwen3Config's.
func qwen3() llama {
	return llama{name: "Qwen3Model", biasKeys: biasKeys{attention: true}, headNorm: true, headDim: 128, kvHeads: 32, windowed: whereAsked}
}
