"""Embeds a batch of texts. Options: eager or compiled, the name of a data type."""

import torch

import bert
import job

asked = job.read()
how, precision = asked["options"]
torch.set_num_threads(asked["threads"])
network = bert.Bert(asked["path"]("model")).eval().to(getattr(torch, precision))
if how == "compiled":
    network = torch.compile(network)
rows = job.load(asked["path"]("ids.json"))
vectors = []


def encode():
    with torch.inference_mode():
        vectors[:] = [network(torch.tensor(rows))]


seconds = job.repeat(asked, encode)
if asked["check"]:
    vectors[0].float().numpy().astype("<f4").tofile(asked["out"](".f32"))
job.answer(torch.__version__.split("+")[0], encode=seconds)
