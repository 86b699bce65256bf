"""Takes training steps: InfoNCE over pairs of an anchor and a passage, AdamW. Option: eager or compiled."""

import torch
from torch.nn import functional

import bert
import job

asked = job.read()
torch.set_num_threads(asked["threads"])
network = bert.Bert(asked["path"]("model")).train()
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-4, weight_decay=0.01)
if asked["options"] == ["compiled"]:
    network = torch.compile(network)
rows, pairs = job.load(asked["path"]("ids.json")), asked["pairs"]
losses = []


def step():
    vectors = network(torch.tensor(rows))
    scores = vectors[:pairs] @ vectors[pairs:].T / 0.05
    loss = functional.cross_entropy(scores, torch.arange(pairs))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())


seconds = job.repeat(asked, step)
if asked["check"]:
    job.keep(asked["out"](".json"), losses)
job.answer(torch.__version__.split("+")[0], step=seconds)
