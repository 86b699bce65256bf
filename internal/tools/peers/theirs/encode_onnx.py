"""Embeds a batch of texts with ONNX Runtime. The first turn writes the network as ONNX."""

import os

import numpy
import onnxruntime

import job


def export(path, rows):
    """Write the network of PyTorch's sides, with its weights, for any number of rows and tokens."""
    import torch

    import bert

    network = bert.Bert(asked["path"]("model")).eval()
    shape = {0: torch.export.Dim("rows", min=1, max=4096), 1: torch.export.Dim("tokens", min=2, max=512)}
    torch.onnx.export(network, (torch.tensor(rows),), path, dynamo=True, external_data=False, verbose=False,
                      input_names=["ids"], dynamic_shapes=(shape,))


asked = job.read()
path, rows = asked["path"]("model.onnx"), job.load(asked["path"]("ids.json"))
if not os.path.exists(path):
    export(path, rows)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = asked["threads"]
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
vectors = []


def encode():
    vectors[:] = session.run(None, {"ids": numpy.array(rows)})


seconds = job.repeat(asked, encode)
if asked["check"]:
    vectors[0].astype("<f4").tofile(asked["out"](".f32"))
job.answer(onnxruntime.__version__, encode=seconds)
