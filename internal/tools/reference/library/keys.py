"""The keys of a model folder's files, and values of each that occur in published folders.

A change is (name, folders it applies to, change to a folder). Two changes of one key never
meet; all others are also made in pairs.
"""

import json
import os

import numpy as np
from safetensors.numpy import load_file, save_file

CHANGES = []  # (key, value's name, applies(variant), change(folder))


class Base:
    """The basis of a folder: its name, its class (dense, cross, sparse, late) and its network."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.network = {"log": "bert"}.get(name.split("_")[-1], name.split("_")[-1]).replace("classic", "bert")


def read(folder, file):
    path = os.path.join(folder, file)
    return json.load(open(path, encoding="utf-8")) if os.path.exists(path) else {}


def write(folder, file, value):
    with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1, ensure_ascii=False)


def edit(file, *steps):
    """Sets keys of a JSON file: steps are (dotted key, value); None removes the key."""

    def change(folder):
        value = read(folder, file)
        for key, v in steps:
            *above, last = key.split(".")
            at = value
            for part in above:
                if not isinstance(at.get(part), dict):
                    at[part] = {}
                at = at[part]
            at.pop(last, None) if v is None else at.__setitem__(last, v)
        write(folder, file, value)

    return change


def every(base):
    """All except routers, whose networks are in separate folders."""
    return base.network != "router"


def of(*names, kinds=("dense", "cross", "sparse", "late")):
    return lambda base: every(base) and base.kind in kinds and (not names or base.network in names)


def saved(base):
    """Folders that sentence-transformers saved, in one piece."""
    return every(base) and not base.name.endswith("_classic")


def any_kind(base):
    return True


def add(key, name, change, applies=every):
    CHANGES.append((key, name, applies, change))


TOKENS, SBERT, ST, CONFIG, TOKENIZER = "tokenizer_config.json", "sentence_bert_config.json", "config_sentence_transformers.json", "config.json", "tokenizer.json"
WORDPIECE = of("bert", "distilbert", "mpnet")
DECODERS = of("llama", "qwen2", "qwen3")
POSITIONAL = of("bert", "distilbert", "roberta", "xlmr", "mpnet")
DENSE = of(kinds=("dense",))
FOUND = of(kinds=("dense", "sparse", "late"))
LATER = lambda base: base.name.startswith("late_")  # sentence-transformers 6's own layout
MASK = "2_MultiVectorMask/config.json"

# ---------------------------------------------------------------- tokenizer_config.json

for n in (10, 33):
    add("model_max_length", str(n), edit(TOKENS, ("model_max_length", n)))
add("model_max_length", "absent", edit(TOKENS, ("model_max_length", None)))
add("model_max_length", "huge", edit(TOKENS, ("model_max_length", 1000000000000000019884624838656)))
add("model_max_length", "above positions", edit(TOKENS, ("model_max_length", 66)), POSITIONAL)
add("max_length of tokenizer_config", "9", edit(TOKENS, ("max_length", 9)))
for v in (True, False):
    add("do_lower_case", str(v), edit(TOKENS, ("do_lower_case", v)))
    add("add_bos_token", str(v), edit(TOKENS, ("add_bos_token", v)), of("llama", "qwen2", "qwen3", "t5", "modernbert"))
    add("add_eos_token", str(v), edit(TOKENS, ("add_eos_token", v)), of("llama", "qwen2", "qwen3", "t5", "modernbert"))
    add("add_prefix_space", str(v), edit(TOKENS, ("add_prefix_space", v)), of("roberta", "modernbert", "llama", "qwen2", "xlmr"))
    add("strip_accents", str(v), edit(TOKENS, ("strip_accents", v)), WORDPIECE)
    add("legacy", str(v), edit(TOKENS, ("legacy", v)), of("llama", "t5"))
add("tokenize_chinese_chars", "False", edit(TOKENS, ("tokenize_chinese_chars", False)), WORDPIECE)
for side in ("left", "right"):
    add("truncation_side", side, edit(TOKENS, ("truncation_side", side)))
    add("padding_side", side, edit(TOKENS, ("padding_side", side)))
for name in ("PreTrainedTokenizerFast", "TokenizersBackend", "BertTokenizerFast", "LlamaTokenizerFast", "Qwen2TokenizerFast", "RobertaTokenizerFast", "T5TokenizerFast", "AutoTokenizer"):
    family = {"Bert": WORDPIECE, "Llam": of("llama"), "Qwen": DECODERS, "Robe": of("roberta"), "T5To": of("t5")}.get(name[:4], every)
    add("tokenizer_class", name, edit(TOKENS, ("tokenizer_class", name)), family)
add("tokenizer_class", "absent", edit(TOKENS, ("tokenizer_class", None)))


def added(content, special, **more):
    """A token that tokenizer.json lacks, at the first free ID."""

    def change(folder):
        t = read(folder, TOKENIZER)
        vocab = t["model"]["vocab"]
        ids = list(vocab.values()) if isinstance(vocab, dict) else list(range(len(vocab)))
        free = max(ids + [a["id"] for a in t["added_tokens"]]) + 1
        token = dict(content=content, lstrip=False, rstrip=False, normalized=False, single_word=False, special=special) | more
        edit(TOKENS, (f"added_tokens_decoder.{free}", token))(folder)

    return change


add("added_tokens_decoder", "special", added("quick", True))
add("added_tokens_decoder", "word", added("fox", False))
add("added_tokens_decoder", "normalized", added("Dogs", False, normalized=True))
add("added_tokens_decoder", "lstrip", added("fox", False, lstrip=True))
add("added_tokens_decoder", "single word", added("dog", False, single_word=True))
add("extra_special_tokens", "one", edit(TOKENS, ("extra_special_tokens", ["river"])))
add("additional_special_tokens", "one", edit(TOKENS, ("additional_special_tokens", ["river"])))
add("special_tokens_map.json", "present", lambda f: write(f, "special_tokens_map.json", {k: v for k, v in read(f, TOKENS).items() if k.endswith("_token") and isinstance(v, str)}))
add(TOKENS, "absent", lambda f: os.remove(os.path.join(f, TOKENS)))

# ---------------------------------------------------------------- tokenizer.json


def lowered(folder):
    t = read(folder, TOKENIZER)
    t["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "Lowercase"}] + ([t["normalizer"]] if t["normalizer"] else [])}
    write(folder, TOKENIZER, t)


add("truncation of tokenizer.json", "12", edit(TOKENIZER, ("truncation", dict(direction="Right", max_length=12, strategy="LongestFirst", stride=0))))
add("truncation of tokenizer.json", "left", edit(TOKENIZER, ("truncation", dict(direction="Left", max_length=12, strategy="LongestFirst", stride=0))))
add("padding of tokenizer.json", "40", edit(TOKENIZER, ("padding", dict(strategy={"Fixed": 40}, direction="Right", pad_to_multiple_of=None, pad_id=0, pad_type_id=0, pad_token="[PAD]"))))
add("normalizer", "lower case", lowered)
add("normalizer.lowercase", "other", lambda f: edit(TOKENIZER, ("normalizer.lowercase", not read(f, TOKENIZER)["normalizer"]["lowercase"]))(f), WORDPIECE)

add("post_processor", "absent", edit(TOKENIZER, ("post_processor", None)), every)
add("pre_tokenizer", "white space", edit(TOKENIZER, ("pre_tokenizer", {"type": "WhitespaceSplit"})), WORDPIECE)
add("pre_tokenizer", "digits apart", lambda f: edit(TOKENIZER, ("pre_tokenizer", {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, read(f, TOKENIZER)["pre_tokenizer"]]}))(f), of("roberta", "modernbert", "llama", "qwen2", "qwen3", "t5", "xlmr"))

# ---------------------------------------------------------------- sentence_bert_config.json

add("max_seq_length", "10", edit(SBERT, ("max_seq_length", 10)))
add("max_seq_length", "64", edit(SBERT, ("max_seq_length", 64)))
add("max_seq_length", "above positions", edit(SBERT, ("max_seq_length", 66)), POSITIONAL)
add("max_seq_length", "above rotary positions", edit(SBERT, ("max_seq_length", 150)), of("llama", "qwen2", "qwen3", "modernbert", "t5"))
add("max_seq_length", "null", edit(SBERT, ("max_seq_length", None)))
add("sentence do_lower_case", "True", edit(SBERT, ("do_lower_case", True)))
add("processing_kwargs", "text max_length", edit(SBERT, ("processing_kwargs", {"text": {"max_length": 10}})))
add("processing_kwargs", "common max_length", edit(SBERT, ("processing_kwargs", {"common": {"max_length": 10}})))
add("processing_kwargs", "no truncation", edit(SBERT, ("processing_kwargs", {"text": {"truncation": False}})))
add("processing_kwargs", "no special tokens", edit(SBERT, ("processing_kwargs", {"text": {"add_special_tokens": False}})))
add("processing_kwargs", "padding", edit(SBERT, ("processing_kwargs", {"text": {"padding": "max_length", "max_length": 30}})))
add("processor_kwargs", "model_max_length", edit(SBERT, ("processor_kwargs", {"model_max_length": 11})))
add("tokenizer_args", "model_max_length", edit(SBERT, ("tokenizer_args", {"model_max_length": 11})))
add("tokenizer_args", "padding_side", edit(SBERT, ("tokenizer_args", {"padding_side": "left"})))
add("model_args", "attention", edit(SBERT, ("model_args", {"attn_implementation": "eager"})))
add("model_args", "sdpa", edit(SBERT, ("model_args", {"attn_implementation": "sdpa"})), of(kinds=("late",)))
add("model_kwargs", "sdpa", edit(SBERT, ("model_kwargs", {"attn_implementation": "sdpa"})), LATER)
for name, v in dict(
    attended=dict(strategy="fixed", attend=True, length=24),
    unattended=dict(strategy="fixed", attend=False, length=24),
    short=dict(strategy="fixed", attend=False, length=12),
    min=dict(strategy="min", attend=False, length=24),
    min_attended=dict(strategy="min", attend=True, length=12),
    token=dict(strategy="fixed", attend=True, length=24, token="."),
).items():
    add("query_expansion", name, edit(SBERT, ("query_expansion", v)), LATER)
add("query_expansion", "absent", edit(SBERT, ("query_expansion", None)), LATER)
add("query_expansion", "absent, query_length 12", edit(SBERT, ("query_expansion", None), ("query_length", 12)), LATER)
add("query_expansion", "min, query_length 30", edit(SBERT, ("query_expansion", dict(strategy="min", attend=False, length=24)), ("query_length", 30)), LATER)
add("document_length", "12", edit(SBERT, ("document_length", 12)), LATER)
add("document_length", "absent", edit(SBERT, ("document_length", None)), LATER)
for other in ("roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"):

    def renamed(folder, other=other):
        old = {k: v for k, v in read(folder, SBERT).items() if k not in ("modality_config", "module_output_name")} | dict(max_seq_length=12, do_lower_case=False)
        os.remove(os.path.join(folder, SBERT))
        write(folder, f"sentence_{other}_config.json", old)

    add("sentence_*_config.json", other, renamed, saved)
add(SBERT, "absent", lambda f: os.remove(os.path.join(f, SBERT)), DENSE)
add(SBERT, "older", lambda f: write(f, SBERT, dict(max_seq_length=20, do_lower_case=False)), DENSE)

# ---------------------------------------------------------------- config_sentence_transformers.json

add("prompts", "query and document", edit(ST, ("prompts", dict(query="search: ", document="passage: "))), any_kind)
add("prompts", "query alone", edit(ST, ("prompts", dict(query="search: "))), any_kind)
add("prompts", "passage", edit(ST, ("prompts", dict(query="search: ", passage="passage: "))), FOUND)
add("prompts", "corpus", edit(ST, ("prompts", dict(query="search: ", corpus="passage: "))), FOUND)
add("prompts", "other names", edit(ST, ("prompts", dict(web_search="search: ", sts="passage: "))), any_kind)
add("prompts", "absent", edit(ST, ("prompts", None)), any_kind)
for n in ("query", "document", "web_search"):
    add("default_prompt_name", n, lambda f, n=n: edit(ST, ("default_prompt_name", n), ("prompts", read(f, ST).get("prompts") or {}), (f"prompts.{n}", "yes: "))(f))
for n in ("dot", "euclidean", "manhattan"):
    add("similarity_fn_name", n, edit(ST, ("similarity_fn_name", n)), DENSE)
add("truncate_dim", "16", edit(ST, ("truncate_dim", 16)), DENSE)
add(ST, "absent", lambda f: os.remove(os.path.join(f, ST)), DENSE)

# ---------------------------------------------------------------- modules

POOL = "1_Pooling/config.json"
POOLED = DENSE
for mode in ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"):
    add("pooling", mode, edit(POOL, ("pooling_mode", mode)), POOLED)
add("pooling", "two modes", edit(POOL, ("pooling_mode", ["cls", "mean"])), POOLED)
add("pooling", "older keys", lambda f: write(f, POOL, dict(word_embedding_dimension=32, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False, pooling_mode_max_tokens=False, pooling_mode_mean_sqrt_len_tokens=False)), POOLED)
add("pooling", "older keys, all", lambda f: write(f, POOL, dict(word_embedding_dimension=32, pooling_mode_cls_token=False, pooling_mode_mean_tokens=False, pooling_mode_max_tokens=False, pooling_mode_mean_sqrt_len_tokens=False, pooling_mode_weightedmean_tokens=False, pooling_mode_lasttoken=True, include_prompt=True)), POOLED)
add("include_prompt", "False", edit(POOL, ("include_prompt", False)), POOLED)


for name, v in {"none": [], "words": ["the", "."], "no token of the vocabulary": ["unheard-of", "."]}.items():
    add("skiplist_words", name, edit(MASK, ("skiplist_words", v)), LATER)
for v in ([], ["query"], ["query", "document"]):
    add("skiplist_tasks", str(v), edit(MASK, ("skiplist_tasks", v)), LATER)
add("keep_only_token_ids", "two", edit(MASK, ("keep_only_token_ids", [5, 6])), LATER)


def without(*kinds):
    """Removes modules."""
    return lambda f: write(f, "modules.json", [m for m in json.load(open(os.path.join(f, "modules.json"))) if m["type"].split(".")[-1] not in kinds])


for kind in ("Dense", "MultiVectorMask", "Normalize"):
    add("modules", "no " + kind, without(kind), LATER)


def module(name, kind, config, tensors=None):
    """Adds a module after the last."""

    def change(folder):
        modules = json.load(open(os.path.join(folder, "modules.json"), encoding="utf-8"))
        path = f"{len(modules)}_{name}"
        os.makedirs(os.path.join(folder, path))
        write(folder, os.path.join(path, "config.json"), config)
        if tensors:
            r = np.random.RandomState(5)
            save_file({k: (r.standard_normal(shape) / np.sqrt(shape[-1]) + (k == "norm.weight")).astype("float32") for k, shape in tensors.items()}, os.path.join(folder, path, "model.safetensors"))
        modules.append(dict(idx=len(modules), name=str(len(modules)), path=path, type=kind))
        write(folder, "modules.json", modules)

    return change


OLD = "sentence_transformers.models."
OUT = lambda base: DENSE(base) and base.network != "t5"  # vectors of 32 values
add("Normalize", "older name", module("Normalize", OLD + "Normalize", {}), POOLED)
for act in ("linear.Identity", "activation.Tanh", "activation.ReLU", "activation.GELU", "activation.Sigmoid", "activation.SiLU"):
    config = dict(in_features=32, out_features=20, bias=act != "linear.Identity", activation_function="torch.nn.modules." + act)
    add("Dense", act.split(".")[1], module("Dense", OLD + "Dense", config, {"linear.weight": (20, 32)} | ({"linear.bias": (20,)} if config["bias"] else {})), OUT)
add("LayerNorm", "present", module("LayerNorm", OLD + "LayerNorm", dict(dimension=32), {"norm.weight": (32,), "norm.bias": (32,)}), OUT)
add("Dropout", "present", module("Dropout", OLD + "Dropout", dict(dropout=0.1)), POOLED)
add("modules.json", "absent", lambda f: os.remove(os.path.join(f, "modules.json")), saved)


def older_modules(folder):
    modules = json.load(open(os.path.join(folder, "modules.json"), encoding="utf-8"))
    for m in modules:
        m["type"] = OLD + m["type"].split(".")[-1]
    write(folder, "modules.json", modules)


add("modules.json", "older names", older_modules, POOLED)

# ---------------------------------------------------------------- config.json

ROPE = of("llama", "qwen2", "qwen3", kinds=("dense",))
for name, v in dict(
    linear=dict(rope_type="linear", factor=2.0, rope_theta=10000.0),
    dynamic=dict(rope_type="dynamic", factor=2.0, rope_theta=10000.0),
    yarn=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=24, rope_theta=10000.0),
    llama3=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=24, rope_theta=10000.0),
    theta=dict(rope_type="default", rope_theta=500.0),
    partial=dict(rope_type="default", rope_theta=500.0, partial_rotary_factor=0.5),
    proportional=dict(rope_type="proportional", rope_theta=500.0),
).items():
    add("rope_parameters", name, edit(CONFIG, ("rope_parameters", v)), ROPE)
add("rope_parameters", "longrope", lambda f: edit(CONFIG, ("rope_parameters", dict(rope_type="longrope", factor=2.0, original_max_position_embeddings=48, rope_theta=10000.0, short_factor=[1.0 + 0.1 * i for i in range(read(f, CONFIG)["head_dim"] // 2 if "head_dim" in read(f, CONFIG) else 4)], long_factor=[2.0] * (read(f, CONFIG).get("head_dim", 8) // 2))))(f), ROPE)
for name, v in dict(linear=dict(type="linear", factor=2.0), yarn=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=24), llama3=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=24), mrope=dict(type="mrope", mrope_section=[1, 1, 2])).items():
    add("rope_parameters", "older " + name, edit(CONFIG, ("rope_parameters", None), ("rope_theta", 5000.0), ("rope_scaling", v)), ROPE)
add("rope_parameters", "older theta", edit(CONFIG, ("rope_parameters", None), ("rope_theta", 500)), ROPE)
add("rope_parameters", "older thetas", edit(CONFIG, ("rope_parameters", None), ("global_rope_theta", 500), ("local_rope_theta", 100)), of("modernbert", kinds=("dense",)))
add("rope_parameters", "local theta -1", edit(CONFIG, ("rope_parameters", None), ("global_rope_theta", 500), ("local_rope_theta", -1)), of("modernbert", kinds=("dense",)))
add("max_position_embeddings", "48", edit(CONFIG, ("max_position_embeddings", 48)), of("llama", "qwen2", "qwen3", "modernbert"))
add("max_position_embeddings", "absent", edit(CONFIG, ("max_position_embeddings", None)), of("llama", "qwen2", "qwen3", "modernbert"))
for act in ("gelu", "gelu_new", "relu", "silu", "gelu_pytorch_tanh", "quick_gelu"):
    add("hidden_act", act, edit(CONFIG, ("hidden_act", act), ("hidden_activation", act), ("activation", act)))
add("layer_norm_eps", "1e-2", edit(CONFIG, ("layer_norm_eps", 1e-2), ("rms_norm_eps", 1e-2), ("norm_eps", 1e-2), ("layer_norm_epsilon", 1e-2)))
add("num_hidden_layers", "1", edit(CONFIG, ("num_hidden_layers", 1), ("layer_types", None), ("n_layers", 1), ("num_layers", 1)), DENSE)
add("sliding_window", "8", edit(CONFIG, ("use_sliding_window", True), ("sliding_window", 8), ("max_window_layers", 1), ("layer_types", None)), of("qwen2", "qwen3"))
add("sliding_window", "not used", edit(CONFIG, ("use_sliding_window", False), ("sliding_window", 8), ("layer_types", None)), of("qwen2", "qwen3"))
add("layer_types", "one sliding", edit(CONFIG, ("layer_types", ["sliding_attention", "full_attention"]), ("sliding_window", 8), ("use_sliding_window", True)), of("qwen2", "qwen3"))
add("layer_types", "sliding first", edit(CONFIG, ("layer_types", ["full_attention", "sliding_attention", "sliding_attention"])), of("modernbert"))
add("local_attention", "6", edit(CONFIG, ("local_attention", 6)), of("modernbert"))
add("global_attn_every_n_layers", "2", edit(CONFIG, ("global_attn_every_n_layers", 2), ("layer_types", None)), of("modernbert"))
add("is_causal", "False", edit(CONFIG, ("is_causal", False)), DECODERS)
add("use_bidirectional_attention", "True", edit(CONFIG, ("use_bidirectional_attention", True)), DECODERS)
add("is_decoder", "True", edit(CONFIG, ("is_decoder", True)), of("bert", "roberta", "xlmr"))
add("position_embedding_type", "relative_key", edit(CONFIG, ("position_embedding_type", "relative_key")), of("bert", "roberta"))
add("auto_map", "own class", edit(CONFIG, ("auto_map", {"AutoModel": "modeling_own.OwnModel"})), of("bert", "llama", "qwen2"))
add("architectures", "own class", edit(CONFIG, ("architectures", ["OwnModel"]), ("auto_map", {"AutoModel": "modeling_own.OwnModel"})), of("bert", "llama", "qwen2"))
add("pad_token_id", "absent", edit(CONFIG, ("pad_token_id", None)), POSITIONAL)
add("feed_forward_proj", "gated-gelu", edit(CONFIG, ("feed_forward_proj", "relu"), ("dense_act_fn", "relu")), of("t5"))
add("relative_attention_max_distance", "12", edit(CONFIG, ("relative_attention_max_distance", 12)), of("t5"))
add("classifier_pooling", "mean", edit(CONFIG, ("classifier_pooling", "mean")), of("modernbert", kinds=("cross",)))
add("activation_fn", "Identity", edit(ST, ("activation_fn", "torch.nn.modules.linear.Identity")), of(kinds=("cross",)))
add("activation_fn", "older", edit(CONFIG, ("sentence_transformers", dict(activation_fn="torch.nn.modules.linear.Identity", version="5.0.0"))), of(kinds=("cross",)))

# ---------------------------------------------------------------- weights


def weights(fn):
    def change(folder):
        path = os.path.join(folder, "model.safetensors")
        tensors = fn(load_file(path))
        os.remove(path)  # it may be a link to the base's
        save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()}, path, metadata=dict(format="pt"))

    return change


def named(prefix):
    return weights(lambda t: {prefix + k: v for k, v in t.items()})


add("tensor names", "model.", named("model."), DENSE)
add("tensor names", "network.", lambda f: named(read(f, CONFIG)["model_type"] + ".")(f), DENSE)
add("heads", "mlp of SimCSE", weights(lambda t: t | {"mlp.dense.weight": np.eye(32, dtype="float32"), "mlp.dense.bias": np.ones(32, "float32")}), DENSE)
add("heads", "lm_head", weights(lambda t: t | {"lm_head.weight": np.eye(32, dtype="float32")}), DENSE)
add("heads", "logit_scale", weights(lambda t: t | {"logit_scale": np.ones(1, "float32")}), DENSE)
add("heads", "pooler", weights(lambda t: {k: v for k, v in t.items() if "pooler" not in k}), DENSE)
add("heads", "position_ids", weights(lambda t: t | {"embeddings.position_ids": np.arange(64)[None]}), DENSE)


def torch_file(folder):
    import torch

    path = os.path.join(folder, "model.safetensors")
    torch.save({k: torch.from_numpy(v) for k, v in load_file(path).items()}, os.path.join(folder, "pytorch_model.bin"))
    os.remove(path)


add("weights file", "pytorch_model.bin", torch_file)
