package minihub

import (
	"maps"
	"slices"

	"infbench/datasets/hub"
)

// model returns a repository of a model: its card, its configuration, its vocabulary and its
// weights.
func model(id, commit, licence string, config object, t tokens, weights map[string][]byte, more map[string][]byte) Repository {
	files := map[string][]byte{
		".gitattributes": attributes(), "README.md": card(licence), "config.json": toJSON(config),
	}
	if t.file != nil {
		files["tokenizer.json"] = t.file
	}
	for _, m := range []map[string][]byte{t.more, weights, more} {
		maps.Copy(files, m)
	}
	return Repository{Kind: hub.Model, ID: id, Commit: commit, Files: files}
}

// pytorch returns weights in the format used before safetensors.
func pytorch(id string, tensors []tensor) map[string][]byte {
	return map[string][]byte{"pytorch_model.bin": pytorchFile(id, tensors)}
}

// one returns weights in one file.
func one(id string, tensors []tensor, dtype string) map[string][]byte {
	return map[string][]byte{"model.safetensors": safetensorsFile(id, tensors, dtype)}
}

// sentence returns the files of a sentence-transformers folder: one way of pooling, and L2
// normalisation if normalised.
func sentence(pooling string, maxLength int, normalised bool) map[string][]byte {
	modules := []object{
		{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
		{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}}
	if normalised {
		modules = append(modules, object{"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})
	}
	pool := object{"word_embedding_dimension": width, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": false,
		"pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false}
	pool[pooling] = true
	return map[string][]byte{
		"modules.json": toJSON(modules), "1_Pooling/config.json": toJSON(pool),
		"sentence_bert_config.json": toJSON(object{"max_seq_length": maxLength, "do_lower_case": false})}
}

// onnx returns an export next to a model; it repeats the model's vocabulary.
func onnx(t tokens) map[string][]byte {
	files := map[string][]byte{"onnx/model.onnx": []byte("\x08\x07onnx"), "onnx/tokenizer.json": t.file}
	for name, content := range t.more {
		files["onnx/"+name] = content
	}
	return files
}

func join(all ...map[string][]byte) map[string][]byte {
	files := map[string][]byte{}
	for _, m := range all {
		maps.Copy(files, m)
	}
	return files
}

// bertConfig is a BERT's config.json.
func bertConfig(architecture string, vocab int) object {
	return object{"architectures": []string{architecture}, "attention_probs_dropout_prob": 0.1, "classifier_dropout": nil, "gradient_checkpointing": false,
		"hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": width, "initializer_range": 0.02, "intermediate_size": inner,
		"layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": heads, "num_hidden_layers": 1,
		"pad_token_id": 0, "position_embedding_type": "absolute", "torch_dtype": "float32", "transformers_version": "4.29.0.dev0",
		"type_vocab_size": 2, "use_cache": true, "vocab_size": vocab}
}

// e5 is one of intfloat's e5-v2: mean pooling, with an export next to it.
func e5(id, commit string) Repository {
	t := bertTokens()
	return model(id, commit, "mit", bertConfig("BertModel", t.size), t, one(id, bertTensors("", t.size, 512), float32s),
		join(onnx(t), sentence("pooling_mode_mean_tokens", 512, true)))
}

// modernBERT is ModernBERT-base.
func modernBERT() Repository {
	const id = "answerdotai/ModernBERT-base"
	t := modernBERTTokens()
	return model(id, "", "apache-2.0", object{"architectures": []string{"ModernBertForMaskedLM"}, "attention_bias": false, "attention_dropout": 0.0,
		"bos_token_id": t.ids["[CLS]"], "classifier_activation": "gelu", "classifier_bias": false, "classifier_dropout": 0.0, "classifier_pooling": "mean",
		"cls_token_id": t.ids["[CLS]"], "decoder_bias": true, "deterministic_flash_attn": false, "embedding_dropout": 0.0, "eos_token_id": t.ids["[SEP]"],
		"global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "gradient_checkpointing": false, "hidden_activation": "gelu", "hidden_size": width,
		"initializer_cutoff_factor": 2.0, "initializer_range": 0.02, "intermediate_size": inner, "layer_norm_eps": 1e-5, "local_attention": 128,
		"local_rope_theta": 10000.0, "max_position_embeddings": 8192, "mlp_bias": false, "mlp_dropout": 0.0, "model_type": "modernbert", "norm_bias": false,
		"norm_eps": 1e-5, "num_attention_heads": heads, "num_hidden_layers": 1, "pad_token_id": t.ids["[PAD]"], "position_embedding_type": "absolute",
		"sep_token_id": t.ids["[SEP]"], "tie_word_embeddings": true, "torch_dtype": "float32", "transformers_version": "4.47.0.dev0", "vocab_size": t.size},
		t, one(id, modernBERTTensors(t.size), float32s), onnx(t))
}

// generation is generation_config.json.
func generation(bos, eos int) map[string][]byte {
	return map[string][]byte{"generation_config.json": toJSON(object{"bos_token_id": bos, "eos_token_id": eos, "do_sample": true, "transformers_version": "4.45.0.dev0"})}
}

// llama3 is one of meta-llama's Llama 3.2: gated, and including the original checkpoint
// files.
func llama3(id string, instruct bool) Repository {
	t := llama3Tokens()
	bos, eos := t.ids["<|begin_of_text|>"], any(t.ids["<|end_of_text|>"])
	if instruct {
		eos = []int{t.ids["<|end_of_text|>"], t.ids["<|eot_id|>"]}
	}
	r := model(id, "", "llama3.2", object{"architectures": []string{"LlamaForCausalLM"}, "attention_bias": false, "attention_dropout": 0.0,
		"bos_token_id": bos, "eos_token_id": eos, "head_dim": width / heads, "hidden_act": "silu", "hidden_size": width, "initializer_range": 0.02,
		"intermediate_size": inner, "max_position_embeddings": 131072, "mlp_bias": false, "model_type": "llama", "num_attention_heads": heads,
		"num_hidden_layers": 1, "num_key_value_heads": kvHeads, "pretraining_tp": 1, "rms_norm_eps": 1e-5,
		"rope_scaling": object{"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"},
		"rope_theta":   500000.0, "tie_word_embeddings": true, "torch_dtype": "bfloat16", "transformers_version": "4.45.0.dev0", "use_cache": true, "vocab_size": t.size},
		t, one(id, decoderTensors("model.", t.size, false, false), bfloats),
		join(generation(bos, t.ids["<|end_of_text|>"]), map[string][]byte{
			"LICENSE.txt": []byte("LLAMA 3.2 COMMUNITY LICENSE AGREEMENT\n"), "USE_POLICY.md": []byte("# Use policy\n"),
			"original/params.json": toJSON(object{"dim": width, "n_layers": 1, "n_heads": heads}), "original/tokenizer.model": []byte("IQ== 0\n"), "original/consolidated.00.pth": []byte("PK")}))
	r.Gated = true
	return r
}

// qwen2 is one of Qwen's Qwen2.5; those above 1.5B have two files.
func qwen2(id, licence string, instruct, large bool) Repository {
	t := qwen2Tokens()
	end := t.ids["<|endoftext|>"]
	eos := end
	if instruct {
		eos = t.ids["<|im_end|>"]
	}
	tensors := decoderTensors("model.", t.size, true, false)
	weights := one(id, tensors, bfloats)
	if large {
		weights = sharded(id, tensors, bfloats, 2)
	}
	return model(id, "", licence, object{"architectures": []string{"Qwen2ForCausalLM"}, "attention_dropout": 0.0, "bos_token_id": end, "eos_token_id": eos,
		"hidden_act": "silu", "hidden_size": width, "initializer_range": 0.02, "intermediate_size": inner, "max_position_embeddings": 131072,
		"max_window_layers": 28, "model_type": "qwen2", "num_attention_heads": heads, "num_hidden_layers": 1, "num_key_value_heads": kvHeads,
		"rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "sliding_window": 131072, "tie_word_embeddings": true, "torch_dtype": "bfloat16",
		"transformers_version": "4.40.1", "use_cache": true, "use_mrope": false, "use_sliding_window": false, "vocab_size": t.size},
		t, weights, join(generation(end, eos), map[string][]byte{"LICENSE": []byte("licence\n")}))
}

// mistralConfig is a Mistral's config.json.
func mistralConfig(architecture string, t tokens, window any) object {
	return object{"architectures": []string{architecture}, "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2, "hidden_act": "silu",
		"hidden_size": width, "initializer_range": 0.02, "intermediate_size": inner, "max_position_embeddings": 32768, "model_type": "mistral",
		"num_attention_heads": heads, "num_hidden_layers": 1, "num_key_value_heads": kvHeads, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
		"sliding_window": window, "tie_word_embeddings": false, "torch_dtype": "float16", "transformers_version": "4.34.0", "use_cache": false, "vocab_size": t.size}
}

// e5Mistral is e5-mistral-7b-instruct, whose names have no prefix.
func e5Mistral() Repository {
	const id = "intfloat/e5-mistral-7b-instruct"
	t := llama2Tokens()
	return model(id, "07163b72af1488142a360786df853f237b1a3ca1", "mit", mistralConfig("MistralModel", t, 4096), t,
		sharded(id, decoderTensors("", t.size, false, false), bfloats, 2), sentence("pooling_mode_lasttoken", 4096, true))
}

// followIR7B is FollowIR-7B, a judge of pairs.
func followIR7B() Repository {
	const id = "jhu-clsp/FollowIR-7B"
	t := llama2Tokens()
	return model(id, "4d25d437e38b510c01852070c0731e8f6e1875d1", "apache-2.0", mistralConfig("MistralForCausalLM", t, nil), t,
		sharded(id, decoderTensors("model.", t.size, false, true), bfloats, 2), generation(1, 2))
}

// t5Network is the config.json of a T5 with one layer per side.
func t5Network(t tokens, gated bool) object {
	feed, act := "relu", "relu"
	if gated {
		feed, act = "gated-gelu", "gelu_new"
	}
	return object{"architectures": []string{"T5ForConditionalGeneration"}, "d_ff": inner, "d_kv": width / heads, "d_model": width,
		"decoder_start_token_id": 0, "dense_act_fn": act, "dropout_rate": 0.1, "eos_token_id": 1, "feed_forward_proj": feed, "initializer_factor": 1.0,
		"is_encoder_decoder": true, "is_gated_act": gated, "layer_norm_epsilon": 1e-6, "model_type": "t5", "n_positions": 512, "num_decoder_layers": 1,
		"num_heads": heads, "num_layers": 1, "output_past": true, "pad_token_id": 0, "relative_attention_max_distance": 128,
		"relative_attention_num_buckets": t5Buckets, "tie_word_embeddings": !gated, "transformers_version": "4.23.1", "use_cache": true, "vocab_size": t.size}
}

// t5Buckets is T5's number of buckets of distances.
const t5Buckets = 32

// flanT5 is one of Google's Flan-T5.
func flanT5(id, commit string) Repository {
	t := t5Tokens()
	return model(id, commit, "apache-2.0", t5Network(t, true), t, one(id, t5Tensors(t.size, t5Buckets, true, true), float32s), nil)
}

// monoT5 is one of Castorini's: weights and vocabulary in the older forms only.
func monoT5(id, commit string) Repository {
	t := t5Tokens()
	return model(id, commit, "", t5Network(t, false), t.old(), pytorch(id, t5Tensors(t.size, t5Buckets, false, true)), nil)
}

// monoBERT is castorini/monobert-large-msmarco, with two classes: weights in the older
// format, words in vocab.txt only.
func monoBERT() Repository {
	const id = "castorini/monobert-large-msmarco"
	t := bertTokens()
	tensors := append(bertTensors("bert.", t.size, 512), tensor{"classifier.weight", []int{2, width}}, tensor{"classifier.bias", []int{2}})
	return model(id, "", "", bertConfig("BertForSequenceClassification", t.size), t.old(), pytorch(id, tensors), nil)
}

// contriever is facebook/contriever-msmarco: weights in the older format.
func contriever() Repository {
	const id = "facebook/contriever-msmarco"
	t := bertTokens()
	return model(id, "abe8c1493371369031bcb1e02acb754cf4e162fa", "", bertConfig("Contriever", t.size), t,
		pytorch(id, bertTensors("", t.size, 512)), nil)
}

// crossEncoder is a BERT that scores pairs.
func crossEncoder(id string) Repository {
	t := bertTokens()
	config := bertConfig("BertForSequenceClassification", t.size)
	config["id2label"], config["label2id"] = object{"0": "LABEL_0"}, object{"LABEL_0": 0}
	tensors := append(bertTensors("bert.", t.size, 512), tensor{"classifier.weight", []int{1, width}}, tensor{"classifier.bias", []int{1}})
	return model(id, "", "apache-2.0", config, t, one(id, tensors, float32s), nil)
}

// bge is one of BAAI's bge: pooled by [CLS].
func bge(id, commit string) Repository {
	t := bertTokens()
	return model(id, commit, "mit", bertConfig("BertModel", t.size), t, one(id, bertTensors("", t.size, 512), float32s),
		sentence("pooling_mode_cls_token", 512, true))
}

// Backbones returns the models that the paper trains.
func Backbones() []Repository {
	return []Repository{
		e5("intfloat/e5-base-v2", "1c644c92ad3ba1efdad3f1451a637716616a20e8"),
		e5("intfloat/e5-large-v2", "b322e09026e4ea05f42beadf4d661fb4e101d311"),
		modernBERT(),
		llama3("meta-llama/Llama-3.2-1B", false), llama3("meta-llama/Llama-3.2-1B-Instruct", true),
		qwen2("Qwen/Qwen2.5-1.5B", "apache-2.0", false, false), qwen2("Qwen/Qwen2.5-1.5B-Instruct", "apache-2.0", true, false),
		qwen2("Qwen/Qwen2.5-3B", "other", false, true), qwen2("Qwen/Qwen2.5-3B-Instruct", "other", true, true),
		qwen2("Qwen/Qwen2.5-7B", "apache-2.0", false, true), e5Mistral(),
	}
}

// Baselines returns the other models of the paper's Table 5 with the base models of adapters,
// a cross-encoder, and models without a network.
func Baselines() []Repository {
	return []Repository{
		followIR7B(),
		flanT5("google/flan-t5-base", "7bcac572ce56db69c1ea7c8af255c5d7c9672fc2"),
		flanT5("google/flan-t5-large", "0613663d0d48ea86ba8cb3d7a44f0f65dc596a2a"),
		monoT5("castorini/monot5-base-msmarco-10k", "f15657ab3d2a5dd0b9a30c8c0b6a0a73c9cb5884"),
		monoT5("castorini/monot5-3b-msmarco-10k", "bc0c419a438c81f592f878ce32430a1823f5db6c"),
		crossEncoder("cross-encoder/ms-marco-MiniLM-L-6-v2"), monoBERT(), contriever(),
		bge("BAAI/bge-base-en", "b737bf5dcc6ee8bdc530531266b4804a5d77b5d8"),
		bge("BAAI/bge-large-en", "abe7d9d814b775ca171121fb03f394dc42974275"),
		instructor("hkunlp/instructor-base"), instructor("hkunlp/instructor-large"), instructor("hkunlp/instructor-xl"),
		tart("facebook/tart-full-flan-t5-xl"),
		llama2(), repLLaMA(), promptrieverModel(), gritLM(), nvEmbed(),
		potion("minishlab/potion-base-8M"), static("sentence-transformers/static-retrieval-mrl-en-v1"),
	}
}

// Everything returns all repositories of the miniature hub.
func Everything() []Repository { return slices.Concat(Datasets(), Backbones(), Baselines()) }
