package minihub

import (
	"maps"
	"slices"
)

// instructor is one of hkunlp's Instructor: T5's encoder in the older format, with a Dense
// module that computes the vector from its output.
func instructor(id string) Repository {
	t := t5Tokens()
	config := t5Network(t, false)
	config["architectures"], config["vocab_size"] = []string{"T5EncoderModel"}, t.size+paddedRows
	encoder := t5Tensors(t.size+paddedRows, t5Buckets, false, false)
	files := sentence("pooling_mode_mean_tokens", 512, false)
	files["modules.json"] = toJSON([]object{
		{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
		{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
		{"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"},
		{"idx": 3, "name": "3", "path": "3_Normalize", "type": "sentence_transformers.models.Normalize"}})
	files["config_sentence_transformers.json"] = toJSON(object{"__version__": object{"sentence_transformers": "2.2.0", "transformers": "4.7.0", "pytorch": "1.9.0+cu102"}})
	files["2_Dense/config.json"] = toJSON(object{"in_features": width, "out_features": width, "bias": false, "activation_function": "torch.nn.modules.linear.Identity"})
	files["2_Dense/pytorch_model.bin"] = pytorchFile(id+" dense", []tensor{{"linear.weight", []int{width, width}}})
	return model(id, "", "apache-2.0", config, t, pytorch(id, copied(encoder)), files)
}

// paddedRows is the number of rows by which a table of embeddings exceeds its vocabulary:
// T5's has 32,128 for 32,100 tokens.
const paddedRows = 28

// copied adds the copy of the embeddings that is saved with T5's encoder.
func copied(tensors []tensor) []tensor {
	return append(slices.Clone(tensors), tensor{"encoder.embed_tokens.weight", tensors[0].shape})
}

// tart is one of facebook's TART-full: a classifier on T5's encoder, whose tokenizer puts <s>
// before a text, with a class that is in no library.
func tart(id string) Repository {
	t := t5Tokens().old()
	const sentinels = 100
	bos := t.size + sentinels
	t.more["added_tokens.json"] = toJSON(object{"<s>": bos})
	t.more["tokenizer_config.json"] = toJSON(object{"additional_special_tokens": nil, "bos_token": "<s>", "eos_token": "</s>", "extra_ids": sentinels,
		"model_max_length": 512, "name_or_path": "google/flan-t5-xl", "pad_token": "<pad>", "sp_model_kwargs": object{}, "tokenizer_class": "EncT5Tokenizer", "unk_token": "<unk>"})
	t.more["special_tokens_map.json"] = toJSON(object{"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"})
	config := t5Network(t, true)
	config["architectures"], config["vocab_size"], config["problem_type"] = []string{"EncT5ForSequenceClassification"}, bos+paddedRows, "single_label_classification"
	tensors := append(copied(t5Tensors(bos+paddedRows, t5Buckets, true, false)), tensor{"classifier.weight", []int{2, width}}, tensor{"classifier.bias", []int{2}})
	return model(id, "", "", config, t, pytorch(id, tensors), nil)
}

// llama2 is Llama 2 of 7B: gated, with its weights in both formats.
func llama2() Repository {
	const id = "meta-llama/Llama-2-7b-hf"
	t := llama2Tokens()
	tensors := decoderTensors("model.", t.size, false, true)
	r := model(id, "01c7f73d771dfac7d292323805ebc428287df4f9", "llama2", object{"_name_or_path": id, "architectures": []string{"LlamaForCausalLM"},
		"bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": width, "initializer_range": 0.02, "intermediate_size": inner,
		"max_position_embeddings": 4096, "model_type": "llama", "num_attention_heads": heads, "num_hidden_layers": 1, "num_key_value_heads": kvHeads,
		"pretraining_tp": 1, "rms_norm_eps": 1e-5, "rope_scaling": nil, "tie_word_embeddings": false, "torch_dtype": "float16",
		"transformers_version": "4.31.0.dev0", "use_cache": true, "vocab_size": t.size},
		t, sharded(id, tensors, float16s, 2), join(pytorchShards(id, tensors, 2), generation(1, 2), map[string][]byte{
			"LICENSE.txt": []byte("LLAMA 2 COMMUNITY LICENSE AGREEMENT\n"), "USE_POLICY.md": []byte("# Use policy\n")}))
	r.Gated = true
	return r
}

// lora returns the tensors of an adapter of all linear layers of a decoder, with the names
// that PEFT gives when it wraps a model without a head.
func lora(rank int) []tensor {
	var all []tensor
	for _, t := range decoderTensors("", 1, false, false) {
		if len(t.shape) != 2 || t.name == "embed_tokens.weight" {
			continue
		}
		layer := "base_model.model." + t.name[:len(t.name)-len(".weight")]
		all = append(all, tensor{layer + ".lora_A.weight", []int{rank, t.shape[1]}}, tensor{layer + ".lora_B.weight", []int{t.shape[0], rank}})
	}
	return all
}

// loraConfig is adapter_config.json of an adapter of Llama 2.
func loraConfig(rank int) object {
	return object{"auto_mapping": nil, "base_model_name_or_path": "meta-llama/Llama-2-7b-hf", "bias": "none", "fan_in_fan_out": false, "inference_mode": true,
		"init_lora_weights": true, "layers_pattern": nil, "layers_to_transform": nil, "lora_alpha": 2 * rank, "lora_dropout": 0.1, "modules_to_save": nil,
		"peft_type": "LORA", "r": rank, "revision": nil, "target_modules": []string{"v_proj", "q_proj", "down_proj", "up_proj", "k_proj", "o_proj", "gate_proj"},
		"task_type": "FEATURE_EXTRACTION"}
}

// adapterOf returns a repository with only an adapter.
func adapterOf(id, commit, licence string, config object, files map[string][]byte) Repository {
	r := model(id, commit, licence, nil, tokens{}, files, map[string][]byte{"adapter_config.json": toJSON(config)})
	delete(r.Files, "config.json")
	return r
}

const loraRank = 4

// repLLaMA is castorini's RepLLaMA: an adapter in the older format, without a vocabulary.
func repLLaMA() Repository {
	const id = "castorini/repllama-v1-7b-lora-passage"
	return adapterOf(id, "6097554dfe6e7d93e92f55010b678bcca1e233a8", "llama2", loraConfig(loraRank),
		map[string][]byte{"adapter_model.bin": pytorchFile(id, lora(loraRank))})
}

// promptrieverModel is samaya-ai's Promptriever: an adapter with a copy of the vocabulary and
// leftovers of its trainer.
func promptrieverModel() Repository {
	const id = "samaya-ai/promptriever-llama2-7b-v1"
	config := loraConfig(loraRank)
	maps.Copy(config, object{"alpha_pattern": object{}, "rank_pattern": object{}, "loftq_config": object{}, "megatron_config": nil, "megatron_core": "megatron.core",
		"layer_replication": nil, "use_dora": false, "use_rslora": false})
	t := llama2Tokens()
	return adapterOf(id, "30b14e3813c0fa45facfd01a594580c3fe5ecf23", "apache-2.0", config, join(t.more, map[string][]byte{
		"adapter_model.safetensors": safetensorsFile(id, lora(loraRank), float32s), "tokenizer.json": t.file, "training_args.bin": []byte("PK")}))
}

// gritLM is GritLM-7B: a Mistral with its own code, which attends both ways when it embeds,
// in three files.
func gritLM() Repository {
	const id = "GritLM/GritLM-7B"
	t := llama2Tokens()
	config := mistralConfig("MistralForCausalLM", t, 4096)
	config["auto_map"] = object{"AutoModel": "modeling_gritlm7b.MistralModel", "AutoModelForCausalLM": "modeling_gritlm7b.MistralForCausalLM",
		"AutoModelForSequenceClassification": "modeling_gritlm7b.MistralForSequenceClassification"}
	config["id2label"], config["label2id"] = object{"0": "LABEL_0"}, object{"LABEL_0": 0}
	config["torch_dtype"], config["attention_dropout"] = "bfloat16", 0.0
	tensors := decoderTensors("model.", t.size, false, true)
	return model(id, "13f00a0e36500c80ce12870ea513846a066004af", "apache-2.0", config, t, sharded(id, tensors, bfloats, 3), join(
		pytorchShards(id, tensors, 3), generation(1, 2), map[string][]byte{"modeling_gritlm7b.py": []byte("# Copyright\n"), "training_args.bin": []byte("PK")}))
}

// Sizes of NV-Embed's latent layer.
const (
	latents     = 6
	latentHeads = 2
	latentDim   = 10
)

// nvEmbed is nvidia/NV-Embed-v1: a Mistral and a latent layer, with its own code.
func nvEmbed() Repository {
	const id = "nvidia/NV-Embed-v1"
	t := llama2Tokens()
	below := mistralConfig("MistralModel", t, 4096)
	maps.Copy(below, object{"_name_or_path": "nvidia/NV-Embed-v1", "model_type": "bidir_mistral", "torch_dtype": "float32", "add_cross_attention": false,
		"chunk_size_feed_forward": 0, "decoder_start_token_id": nil, "id2label": object{"0": "LABEL_0", "1": "LABEL_1"}, "is_decoder": false, "is_encoder_decoder": false,
		"return_dict": true, "tie_encoder_decoder": false, "use_bfloat16": false})
	delete(below, "transformers_version")
	config := object{"_name_or_path": id, "add_eos": true, "add_pad_token": true, "architectures": []string{"NVEmbedModel"},
		"auto_map": object{"AutoConfig": "configuration_nvembed.NVEmbedConfig", "AutoModel": "modeling_nvembed.NVEmbedModel"}, "hidden_size": width, "is_mask_instruction": true,
		"latent_attention_config": object{"model_type": "latent_attention", "num_latents_value": latents, "num_cross_heads": latentHeads, "output_normalize": true,
			"hidden_dim": width, "latent_dim": width, "cross_dim_head": latentDim},
		"mask_type": "b", "model_type": "nvembed", "padding_side": "right", "text_config": below, "torch_dtype": "float16", "transformers_version": "4.37.2"}
	files := sentence("pooling_mode_mean_tokens", 4096, true)
	files["config_sentence_transformers.json"] = toJSON(object{"__version__": object{"sentence_transformers": "2.7.0", "transformers": "4.37.2", "pytorch": "2.2.0+cu121"},
		"prompts": object{}, "default_prompt_name": nil})
	for _, code := range []string{"configuration_nvembed.py", "modeling_nvembed.py"} {
		files[code] = []byte("# Copyright\n")
	}
	files["instructions.json"] = toJSON(object{"NFCorpus": object{"query": "Given a question, retrieve relevant documents that answer the question", "corpus": ""}})
	return model(id, "570834afd5fef5bf3a3c2311a2b6e0a66f6f4f2c", "cc-by-nc-4.0", config, t, sharded(id, nvEmbedTensors(t.size), float16s, 4), files)
}

// nvEmbedTensors returns the tensors of a Mistral, then those of the latent layer.
func nvEmbedTensors(vocab int) []tensor {
	all := decoderTensors("embedding_model.", vocab, false, false)
	add := func(name string, shape ...int) { all = append(all, tensor{"latent_attention_model." + name, shape}) }
	norm := func(name string) { add(name+".weight", width); add(name+".bias", width) }
	const attention, forward, wide = "cross_attend_blocks.0.", "cross_attend_blocks.1.", 4 * width
	add("latents", latents, width)
	norm(attention + "norm")
	norm(attention + "norm_context")
	add(attention+"fn.to_q.weight", latentHeads*latentDim, width)
	add(attention+"fn.to_kv.weight", 2*latentHeads*latentDim, width)
	add(attention+"fn.to_out.weight", width, latentHeads*latentDim)
	norm(forward + "norm")
	add(forward+"fn.net.0.weight", 2*wide, width)
	add(forward+"fn.net.0.bias", 2*wide)
	add(forward+"fn.net.2.weight", width, wide)
	add(forward+"fn.net.2.bias", width)
	return all
}

// potion is one of minishlab's model2vec models: a table of vectors.
func potion(id string) Repository {
	t := bertTokens()
	weights := one(id, []tensor{{"embeddings", []int{t.size, width}}}, float32s)
	return model(id, "", "mit", object{"model_type": "model2vec", "architectures": []string{"StaticModel"}, "tokenizer_name": "baai/bge-base-en-v1.5",
		"apply_pca": width, "apply_zipf": true, "hidden_dim": width, "seq_length": 1000000, "normalize": true}, tokens{file: t.file}, weights,
		map[string][]byte{"modules.json": staticModules(".", true)})
}

// static is one of sentence-transformers' models without a network: a table of vectors in a
// separate folder.
func static(id string) Repository {
	t := bertTokens()
	r := model(id, "", "apache-2.0", nil, tokens{}, map[string][]byte{
		"0_StaticEmbedding/model.safetensors": safetensorsFile(id, []tensor{{"embedding.weight", []int{t.size, width}}}, float32s),
		"0_StaticEmbedding/tokenizer.json":    t.file,
		"modules.json":                        staticModules("0_StaticEmbedding", false),
		"config_sentence_transformers.json": toJSON(object{"__version__": object{"sentence_transformers": "3.3.1", "transformers": "4.43.4", "pytorch": "2.5.0"},
			"prompts": object{}, "default_prompt_name": nil, "similarity_fn_name": "cosine"})}, nil)
	delete(r.Files, "config.json")
	return r
}

// staticModules is modules.json for a table of vectors at a path.
func staticModules(path string, normalised bool) []byte {
	modules := []object{{"idx": 0, "name": "0", "path": path, "type": "sentence_transformers.models.StaticEmbedding"}}
	if normalised {
		modules = append(modules, object{"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"})
	}
	return toJSON(modules)
}
