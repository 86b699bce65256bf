"""Trains and encodes with a network of given sizes and random weights in PyTorch,
for infbench gpu-check: reads a task as JSON from its argument, prints JSON."""

import json
import resource
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

task = json.loads(sys.argv[1])
device = "cuda" if task["cuda"] else "cpu"
llama = task["kind"] != "bert"
width, heads, length = task["width"], task["heads"], task["length"]
key_heads = task["key_heads"] if llama else heads
head = width // heads


class RMSNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        x = x.float()
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


def rotate(x, cos, sin):
    front, back = x.float().chunk(2, -1)
    return x.float() * cos + torch.cat([-back, front], -1) * sin


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        bias = not llama
        self.q = nn.Linear(width, heads * head, bias=bias)
        self.k = nn.Linear(width, key_heads * head, bias=bias)
        self.v = nn.Linear(width, key_heads * head, bias=bias)
        self.o = nn.Linear(heads * head, width, bias=bias)
        self.up = nn.Linear(width, task["inner"], bias=bias)
        self.down = nn.Linear(task["inner"], width, bias=bias)
        self.gate = nn.Linear(width, task["inner"], bias=False) if llama else None
        self.first, self.second = (RMSNorm(), RMSNorm()) if llama else (nn.LayerNorm(width), nn.LayerNorm(width))

    def attend(self, x, cos, sin):
        b, s, _ = x.shape
        q = self.q(x).view(b, s, heads, head).transpose(1, 2)
        k = self.k(x).view(b, s, key_heads, head).transpose(1, 2)
        v = self.v(x).view(b, s, key_heads, head).transpose(1, 2)
        if llama:
            q, k = rotate(q, cos, sin).to(v.dtype), rotate(k, cos, sin).to(v.dtype)
            k, v = k.repeat_interleave(heads // key_heads, 1), v.repeat_interleave(heads // key_heads, 1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=llama)
        return self.o(y.transpose(1, 2).reshape(b, s, heads * head))

    def forward(self, x, cos, sin):
        if llama:
            x = x + self.attend(self.first(x), cos, sin)
            y = self.second(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))
        x = self.first(x + self.attend(x, cos, sin))
        return self.second(x + self.down(F.gelu(self.up(x))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(task["vocabulary"], width)
        self.positions = None if llama else nn.Embedding(512, width)
        self.layers = nn.ModuleList(Layer() for _ in range(task["layers"]))
        self.norm = RMSNorm() if llama else nn.LayerNorm(width)
        angles = torch.outer(torch.arange(length).float(), 5e5 ** (-torch.arange(0, head, 2).float() / head)).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids):
        x = self.tokens(ids)
        if not llama:
            x = self.norm(x + self.positions.weight[:length])
        for layer in self.layers:
            if task["checkpointing"] and torch.is_grad_enabled():
                x = checkpoint(layer, x, self.cos, self.sin, use_reentrant=False)
            else:
                x = layer(x, self.cos, self.sin)
        return F.normalize((self.norm(x)[:, -1] if llama else x.mean(1)).float(), dim=-1)


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


def peak():
    if device == "cuda":
        most = torch.cuda.max_memory_reserved()
        torch.cuda.reset_peak_memory_stats()
        return most
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def median_seconds(do):
    seconds = []
    for step in range(task["steps"] + 2):
        wait()
        began = time.perf_counter()
        do()
        wait()
        if step >= 2:
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


torch.manual_seed(1)
network = Network().to(device)
optimizer = torch.optim.AdamW(network.parameters(), lr=5e-5, weight_decay=0)
n = task["rows"]
ids = torch.randint(task["vocabulary"], (task["sequences"], length), device=device)
mixed = max(task["sequences"] - 2 * n, 0)
others = torch.randint(mixed, (n, 5), device=device) if mixed else None


def step():
    with torch.autocast(device, dtype=torch.bfloat16, enabled=task["bf16"]):
        vectors = network(ids)
    p, iq = vectors[:n], vectors[n : 2 * n]
    scores = [iq @ p.T]
    if mixed:
        scores.append((p[:, None] * vectors[2 * n :][others]).sum(-1))
    loss = F.cross_entropy(torch.cat(scores, 1) / 0.05, torch.arange(n, device=device))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()


answer = {"version": torch.__version__, "step_seconds": median_seconds(step), "train_memory": peak()}
optimizer = None
network.zero_grad()
with torch.no_grad():
    answer["encode_seconds"] = median_seconds(lambda: network(ids))
answer["encode_memory"] = peak()
print(json.dumps(answer))
