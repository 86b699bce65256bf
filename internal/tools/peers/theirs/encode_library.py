"""Embeds texts with sentence-transformers, as its users do."""

import sentence_transformers
import torch

import job

asked = job.read()
torch.set_num_threads(asked["threads"])
model = sentence_transformers.SentenceTransformer(asked["model"], device="cpu")
texts = job.load(asked["path"]("texts.json"))
vectors = []


def encode():
    vectors[:] = [model.encode(texts, show_progress_bar=False)]


seconds = job.repeat(asked, encode)
if asked["check"]:
    vectors[0].astype("<f4").tofile(asked["out"](".f32"))
job.answer(sentence_transformers.__version__, encode=seconds)
