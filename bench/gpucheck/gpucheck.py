"""Trains and encodes with a network of given sizes and random weights in PyTorch,
for infbench gpu-check: reads a task as JSON from standard input, prints JSON. Texts are
padded on the right to the longest that they are read with."""

import json
import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

task = json.load(sys.stdin)
device = "cuda" if task["cuda"] else "cpu"
llama = task["kind"] != "bert"
width, heads = task["width"], task["heads"]
key_heads = task["key_heads"] if llama else heads
head = width // heads
longest = max(max(lengths) for lengths in [*task["steps"], task["passages"]]) + 7  # rounded up to 8


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

    def attend(self, x, cos, sin, mask):
        b, s, _ = x.shape
        q = self.q(x).view(b, s, heads, head).transpose(1, 2)
        k = self.k(x).view(b, s, key_heads, head).transpose(1, 2)
        v = self.v(x).view(b, s, key_heads, head).transpose(1, 2)
        if llama:
            q, k = rotate(q, cos, sin).to(v.dtype), rotate(k, cos, sin).to(v.dtype)
            k, v = k.repeat_interleave(heads // key_heads, 1), v.repeat_interleave(heads // key_heads, 1)
        # Padding is on the right, so none of it comes before a token.
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=None if llama else mask[:, None, None], is_causal=llama)
        return self.o(y.transpose(1, 2).reshape(b, s, heads * head))

    def forward(self, x, cos, sin, mask):
        if llama:
            x = x + self.attend(self.first(x), cos, sin, mask)
            y = self.second(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))
        x = self.first(x + self.attend(x, cos, sin, mask))
        return self.second(x + self.down(F.gelu(self.up(x))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(task["vocabulary"], width)
        self.positions = None if llama else nn.Embedding(max(512, longest), width)
        self.layers = nn.ModuleList(Layer() for _ in range(task["layers"]))
        self.norm = RMSNorm() if llama else nn.LayerNorm(width)
        angles = torch.outer(torch.arange(longest).float(), 5e5 ** (-torch.arange(0, head, 2).float() / head)).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids, mask):
        length = ids.shape[1]
        x, cos, sin = self.tokens(ids), self.cos[:length], self.sin[:length]
        if not llama:
            x = self.norm(x + self.positions.weight[:length])
        for layer in self.layers:
            if task["checkpointing"] and torch.is_grad_enabled():
                x = checkpoint(layer, x, cos, sin, mask, use_reentrant=False)
            else:
                x = layer(x, cos, sin, mask)
        if llama:
            last = mask.sum(1) - 1
            x = self.norm(x)[torch.arange(len(x), device=device), last]
        else:
            x = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return F.normalize(x.float(), dim=-1)


def padded(lengths):
    """Random tokens of texts of these lengths, and which are none of padding."""
    size = -(-max(lengths) // 8) * 8
    mask = torch.arange(size)[None] < torch.tensor(lengths)[:, None]
    return torch.randint(task["vocabulary"], mask.shape).to(device), mask.to(device)


def parts(lengths):
    """Passages, anchors and mixed pairs, each padded by themselves."""
    n = task["rows"]
    return [padded(part) for part in (lengths[:n], lengths[n : 2 * n], lengths[2 * n :]) if part]


def batches(lengths):
    """Texts sorted by length, so many at a time that they are within the budget."""
    made, begin, lengths = [], 0, sorted(lengths)
    for end in range(1, len(lengths) + 1):
        if end == len(lengths) or (end + 1 - begin) * lengths[end] > task["budget"]:
            made.append(padded(lengths[begin:end]))
            begin = end
    return made


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


def peak():
    if device == "cuda":
        most = torch.cuda.max_memory_reserved()
        torch.cuda.reset_peak_memory_stats()
        return most
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def seconds(do):
    wait()
    began = time.perf_counter()
    do()
    wait()
    return time.perf_counter() - began


torch.manual_seed(1)
network = Network().to(device)
optimizer = torch.optim.AdamW(network.parameters(), lr=5e-5, weight_decay=0)


def step(texts):
    with torch.autocast(device, dtype=torch.bfloat16, enabled=task["bf16"]):
        vectors = [network(*part) for part in texts]
    p, iq = vectors[:2]
    scores = [iq @ p.T]
    if len(vectors) == 3:
        others = torch.randint(len(vectors[2]), (len(p), 5), device=device)
        scores.append((p[:, None] * vectors[2][others]).sum(-1))
    loss = F.cross_entropy(torch.cat(scores, 1) / 0.05, torch.arange(len(p), device=device))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()


def encode(texts, narrow):
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=narrow):
        for batch in texts:
            network(*batch)


steps = [parts(lengths) for lengths in task["steps"]]
for texts in steps:
    step(texts)
answer = {"version": torch.__version__, "step_seconds": [seconds(lambda: step(texts)) for texts in steps], "train_memory": peak()}
optimizer = None
network.zero_grad()
texts = batches(task["passages"])
for key, narrow in {"encode_seconds": False, "encode_bf16_seconds": True}.items():
    encode(texts, narrow)
    answer[key] = seconds(lambda: encode(texts, narrow))
answer["encode_memory"] = peak()
print(json.dumps(answer))
