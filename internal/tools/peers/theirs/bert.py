"""BERT in PyTorch, with the weights of a HuggingFace folder."""

import json
import math
import os

import numpy
import torch
from torch import nn
from torch.nn import functional


def tensors(path):
    """Read the float32 tensors of a safetensors file by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if entry["dtype"] != "F32":
            raise ValueError("%s: %s is %s" % (path, name, entry["dtype"]))
        start, end = entry["data_offsets"]
        values = numpy.frombuffer(data[start:end], dtype="<f4").reshape(entry["shape"])
        found[name] = torch.from_numpy(values.copy())
    return found


class Layer(nn.Module):
    """One layer: attention and a feed-forward network, each with its norm after the sum."""

    def __init__(self, config):
        super().__init__()
        width, inner = config["hidden_size"], config["intermediate_size"]
        self.heads = config["num_attention_heads"]
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.attention_norm = nn.LayerNorm(width, eps=config["layer_norm_eps"])
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm = nn.LayerNorm(width, eps=config["layer_norm_eps"])

    def split(self, states):
        rows, length, width = states.shape
        return states.view(rows, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, states, bias):
        query, key, value = self.split(self.query(states)), self.split(self.key(states)), self.split(self.value(states))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if bias is not None:
            scores = scores + bias
        mixed = (torch.softmax(scores, -1) @ value).transpose(1, 2).reshape(states.shape)
        states = self.attention_norm(states + self.output(mixed))
        return self.norm(states + self.down(functional.gelu(self.up(states))))


class Bert(nn.Module):
    """The mean of the last hidden states, of length 1."""

    names = {
        "attention.self.query": "query", "attention.self.key": "key", "attention.self.value": "value",
        "attention.output.dense": "output", "attention.output.LayerNorm": "attention_norm",
        "intermediate.dense": "up", "output.dense": "down", "output.LayerNorm": "norm",
    }

    def __init__(self, folder):
        super().__init__()
        with open(os.path.join(folder, "config.json")) as file:
            config = json.load(file)
        width = config["hidden_size"]
        self.words = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["max_position_embeddings"], width)
        self.types = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, eps=config["layer_norm_eps"])
        self.layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))
        self.load(tensors(os.path.join(folder, "model.safetensors")))

    def load(self, weights):
        """Take every weight from its tensor; a missing tensor is an error."""
        places = {
            "words.weight": "embeddings.word_embeddings.weight",
            "positions.weight": "embeddings.position_embeddings.weight",
            "types.weight": "embeddings.token_type_embeddings.weight",
        }
        for kind in ("weight", "bias"):
            places["norm." + kind] = "embeddings.LayerNorm." + kind
            for layer in range(len(self.layers)):
                for theirs, ours in self.names.items():
                    places["layers.%d.%s.%s" % (layer, ours, kind)] = "encoder.layer.%d.%s.%s" % (layer, theirs, kind)
        self.load_state_dict({ours: weights[theirs] for ours, theirs in places.items()})

    def forward(self, ids, mask):
        """Return the vectors of rows of tokens; mask is 0 for padding, None without padding."""
        positions = torch.arange(ids.shape[1])[None]
        states = self.norm(self.words(ids) + self.positions(positions) + self.types(torch.zeros_like(ids)))
        bias = None if mask is None else (1 - mask)[:, None, None, :] * -1e9
        for layer in self.layers:
            states = layer(states, bias)
        if mask is None:
            return functional.normalize(states.mean(1), dim=-1)
        weight = mask[..., None]
        return functional.normalize((states * weight).sum(1) / weight.sum(1), dim=-1)


def padded(rows):
    """Return rows of tokens as ids and mask, the mask is None without padding."""
    longest = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
    return ids, None if bool(mask.all()) else mask
