"""Embeds texts in batches of 32, sorted by length."""

import json

import torch

import bert
import job

BATCH = 32

asked = job.read()
torch.set_num_threads(asked["threads"])
network = bert.Bert(asked["path"]("model")).eval()
with open(asked["path"]("ids.json")) as file:
    rows = json.load(file)
vectors = torch.empty(len(rows), network.words.embedding_dim)


def encode():
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    with torch.inference_mode():
        for at in range(0, len(order), BATCH):
            chosen = order[at : at + BATCH]
            vectors[chosen] = network(*bert.padded([rows[i] for i in chosen]))


seconds = job.repeat(asked, encode)
if asked["check"]:
    vectors.numpy().astype("<f4").tofile(asked["path"]("encode_torch.f32"))
job.answer(torch.__version__, encode=seconds)
