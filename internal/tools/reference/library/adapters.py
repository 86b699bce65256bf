"""LoRA adapters as PEFT saves them, over bases of some networks."""

import os
import shutil

import numpy as np
import torch
import transformers
from peft import LoraConfig, get_peft_model

from keys import CONFIG, edit, read, write

CONFIGS = {
    "r = 4": dict(),
    "use_rslora = True": dict(use_rslora=True),
    "use_dora = True": dict(use_dora=True),
    "alpha_pattern = end": dict(alpha_pattern={"{q}": 64}),
    "alpha_pattern = full name": dict(alpha_pattern={"{layer}.0.{attention}.{q}": 64}),
    "alpha_pattern = expression": dict(alpha_pattern={r".*\.1\..*({q}|{v})": 64}),
    "alpha_pattern = class of letters": dict(alpha_pattern={r"{layer}.[01].{attention}.{q}": 64, r"{v}": 2}),
    "alpha_pattern = order": dict(alpha_pattern={"{q}": 16, "{layer}.0.{attention}.{q}": 64}),
    "alpha_pattern = other order": dict(alpha_pattern={"{layer}.0.{attention}.{q}": 64, "{q}": 16}),
    "alpha_pattern = part of a name": dict(alpha_pattern={"{q1}": 64}),
    "alpha_pattern = escaped": dict(alpha_pattern={r"{attention_}\.{q}": 64}),
    "alpha_pattern = anchored": dict(alpha_pattern={r"^{layer}.0.{attention}.{q}$": 64}),
    "rank_pattern = end": dict(rank_pattern={"{q}": 2}),
    "rank_pattern = expression": dict(rank_pattern={r".*\.1\..*({q}|{v})": 6}),
    "rank_pattern = with alpha_pattern": dict(rank_pattern={"{q}": 2}, alpha_pattern={r".*\.0\..*{q}": 32}),
    "rank_pattern = rslora": dict(rank_pattern={r"{layer}\.0\..*": 2}, use_rslora=True),
    "target_modules = full names": dict(target_modules=["{layer}.0.{attention}.{q}", "{layer}.1.{attention}.{v}"]),
    "target_modules = expression": dict(target_modules=r".*\.1\..*({q}|{v})"),
    "target_modules = all-linear": dict(target_modules="all-linear"),
    "target_modules = part": dict(target_modules=["{attention}.{q}"]),
    "exclude_modules = end": dict(exclude_modules=["{v}"]),
    "exclude_modules = full name": dict(exclude_modules=["{layer}.0.{attention}.{q}"]),
    "exclude_modules = expression": dict(exclude_modules=r".*\.0\..*"),
    "layers_to_transform = 1": dict(layers_to_transform=[1], layers_pattern="{layers}"),
    "layers_to_transform = with pattern": dict(layers_to_transform=[0], layers_pattern="{layers}"),
    "modules_to_save = norm": dict(modules_to_save=["{norm}"]),
    "modules_to_save = embeddings": dict(modules_to_save=["{embedding}"]),
    "target_modules = embeddings": dict(target_modules=["{q}", "{embedding}"]),
    "bias = lora_only": dict(bias="lora_only"),
    "bias = all": dict(bias="all"),
    "lora_bias = True": dict(lora_bias=True),
    "fan_in_fan_out = True": dict(fan_in_fan_out=True),
    "lora_dropout = 0.1": dict(lora_dropout=0.1),
    "init_lora_weights = pissa": dict(init_lora_weights="pissa"),
    "layer_replication = twice": dict(layer_replication=[[0, 2], [1, 2]]),
    "target_parameters = weight": dict(target_modules=[], target_parameters=["{layer}.0.{attention}.{q}.weight"]),
    "trainable_token_indices = two": dict(trainable_token_indices=[3, 300]),
}
NAMES = dict(
    llama=dict(q="q_proj", v="v_proj", q1="_proj", layer="layers", layers="layers", attention="self_attn", attention_="self_attn", norm="norm", embedding="embed_tokens"),
    bert=dict(q="query", v="value", q1="uery", layer="encoder.layer", layers="layer", attention="attention.self", attention_=r"attention\.self", norm="LayerNorm", embedding="word_embeddings"),
)
NAMES["qwen3"] = NAMES["qwen2"] = NAMES["mistral"] = NAMES["llama"]


def filled(value, names):
    if isinstance(value, str):
        for k, v in names.items():
            value = value.replace("{" + k + "}", v)
        return value
    if isinstance(value, list):
        return [filled(v, names) for v in value]
    if isinstance(value, dict):
        return {filled(k, names): filled(v, names) for k, v in value.items()}
    return value


def spread(model):
    """Adds random values to the trained weights of an adapter."""
    r = np.random.RandomState(9)
    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            if p.requires_grad:
                z = torch.from_numpy(r.standard_normal(tuple(p.shape))).to(p.dtype)
                p.copy_(p + 0.3 * z if "saved" in name or "magnitude" in name or "modules_to_save" in name else 0.3 * z)


def adapter(base, folder, config, names, resized=0, wrapped=None):
    network = (wrapped or transformers.AutoModel).from_pretrained(base)
    if resized:
        network.resize_token_embeddings(network.config.vocab_size + resized)
    torch.manual_seed(1)
    usual = dict(r=4, lora_alpha=8, target_modules=["{q}", "{v}"])
    model = get_peft_model(network, LoraConfig(**filled(usual | config, names)))
    spread(model)
    if resized:
        with torch.no_grad():
            model.get_input_embeddings().weight.add_(0.1)
    model.save_pretrained(folder)
    for file in os.listdir(base):
        if file not in (CONFIG, "model.safetensors"):
            (shutil.copytree if os.path.isdir(os.path.join(base, file)) else shutil.copy)(os.path.join(base, file), os.path.join(folder, file))
    edit("adapter_config.json", ("base_model_name_or_path", base))(folder)


def after(key, value):
    """A key as people or older versions write it, in an adapter that PEFT saved."""
    return lambda folder: edit("adapter_config.json", (key, value))(folder)


LATER = {
    "base_model_name_or_path = with a slash": lambda f: edit("adapter_config.json", ("base_model_name_or_path", read(f, "adapter_config.json")["base_model_name_or_path"] + "/"))(f),
    "lora_alpha = a fraction": after("lora_alpha", 7.5),
    "peft_type = IA3": after("peft_type", "IA3"),
    "unknown key = true": after("some_new_key", True),
    "inference_mode = false": after("inference_mode", False),
    "target_modules = of which none is": after("target_modules", ["nowhere"]),
    "alpha_pattern = null": after("alpha_pattern", None),
    "layers_to_transform = empty": after("layers_to_transform", []),
    "modules_to_save = empty": after("modules_to_save", []),
    "task_type = FEATURE_EXTRACTION": after("task_type", "FEATURE_EXTRACTION"),
    "eva_config = {}": after("eva_config", {}),
    "megatron_config = null": after("megatron_config", None),
}


def variants(out):
    number = 0
    for network, names in NAMES.items():
        if network == "mistral":
            continue
        base = os.path.join(out, "base", network)
        plans = [(n, lambda f, c=c, base=base, names=names: adapter(base, f, c, names)) for n, c in CONFIGS.items()]
        plans += [(n, lambda f, h=h, base=base, names=names: (adapter(base, f, {}, names), h(f))) for n, h in LATER.items()]
        plans.append(("saved embeddings = after a resize", lambda f, base=base, names=names: adapter(base, f, {}, names, resized=3)))
        wrapped = dict(llama=transformers.LlamaForCausalLM, qwen2=transformers.Qwen2ForCausalLM, qwen3=transformers.Qwen3ForCausalLM, bert=transformers.BertForMaskedLM)[network]
        above = "bert" if network == "bert" else "model"
        for n, c in {"task model = as it is": {}, "layers_to_transform = 1 of a task model": dict(layers_to_transform=[1]), "layers_to_transform = 0 of a task model": dict(layers_to_transform=0)}.items():
            plans.append((n, lambda f, c=c, base=base, names=names, w=wrapped: adapter(base, f, c, names, wrapped=w)))
        plans.append(("target_modules = full names of a task model", lambda f, base=base, names=names, w=wrapped, above=above: adapter(base, f, dict(target_modules=[above + ".{layer}.0.{attention}.{q}"]), names, wrapped=w)))
        for name, make in plans:
            folder = os.path.join(out, "variants", f"adapter{number:03}")
            number += 1
            yield f"adapter of {network}: {name}", folder, lambda make=make, folder=folder: make(folder)
