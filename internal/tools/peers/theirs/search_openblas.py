"""Multiplies queries with documents; the products are kept only for the check."""

import json

import numpy

import job

asked = job.read()
dim, depth = asked["dim"], asked["depth"]
queries = numpy.fromfile(asked["path"]("queries.f32"), dtype="<f4").reshape(-1, dim)
documents = numpy.fromfile(asked["path"]("documents.f32"), dtype="<f4").reshape(-1, dim)
scores = numpy.empty((len(queries), len(documents)), dtype=numpy.float32)
seconds = job.repeat(asked, lambda: numpy.matmul(queries, documents.T, out=scores))
if asked["check"]:
    best = numpy.argsort(-scores, axis=1)[:, :depth]
    with open(asked["path"]("search_openblas.json"), "w") as file:
        json.dump([[{"id": str(place), "score": float(row[place])} for place in places] for row, places in zip(scores, best)], file)
job.answer(job.blas_version() + " through numpy " + numpy.__version__, product=seconds)
