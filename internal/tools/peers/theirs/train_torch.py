"""Takes training steps: InfoNCE over pairs of an anchor and a passage, AdamW."""

import json

import torch
from torch.nn import functional

import bert
import job

asked = job.read()
torch.set_num_threads(asked["threads"])
network = bert.Bert(asked["path"]("model")).train()
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-4, weight_decay=0.01)
with open(asked["path"]("ids.json")) as file:
    rows = json.load(file)
pairs = asked["pairs"]
losses = []


def step():
    vectors = network(*bert.padded(rows))
    scores = vectors[:pairs] @ vectors[pairs:].T / 0.05
    loss = functional.cross_entropy(scores, torch.arange(pairs))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())


seconds = job.repeat(asked, step)
if asked["check"]:
    with open(asked["path"]("train_torch.json"), "w") as file:
        json.dump(losses, file)
job.answer(torch.__version__, step=seconds)
