"""BERT in PyTorch, with the weights of a HuggingFace folder."""

import os

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

import job


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

    def forward(self, states):
        heads = (self.split(part(states)) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(*heads).transpose(1, 2).reshape(states.shape)
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
        config = job.load(os.path.join(folder, "config.json"))
        width = config["hidden_size"]
        self.words = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["max_position_embeddings"], width)
        self.types = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, eps=config["layer_norm_eps"])
        self.layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))
        self.load(load_file(os.path.join(folder, "model.safetensors")))

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

    def forward(self, ids):
        """Return the vectors of rows of tokens, all of the same length."""
        positions = torch.arange(ids.shape[1])[None]
        states = self.norm(self.words(ids) + self.positions(positions) + self.types(torch.zeros_like(ids)))
        for layer in self.layers:
            states = layer(states)
        return functional.normalize(states.mean(1), dim=-1)
