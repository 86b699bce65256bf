package encoder

// qwen3 is Qwen3's decoder (Qwen Team 2025, arXiv 2505.09388; transformers' Qwen3Model), used by
// Qwen3-Embedding and Qwen3-Reranker. It is llama with an RMS norm of each head's queries and
// keys before rotation, one gain for all heads, and heads of width head_dim, independent of
// hidden_size. The defaults are Qwen3Config's.
func qwen3() llama {
	return llama{name: "Qwen3Model", biasKeys: biasKeys{attention: true}, headNorm: true, headDim: 128, kvHeads: 32, windowed: whereAsked}
}
