"""Searches a flat index of FAISS for the largest inner products."""

import faiss
import numpy

import job

asked = job.read()
faiss.omp_set_num_threads(asked["threads"])
dim, depth = asked["dim"], asked["depth"]
queries = numpy.fromfile(asked["path"]("queries.f32"), dtype="<f4").reshape(-1, dim)
index = faiss.IndexFlatIP(dim)
with open(asked["path"]("documents.f32"), "rb") as file:
    while (block := numpy.fromfile(file, dtype="<f4", count=10_000 * dim)).size:
        index.add(block.reshape(-1, dim))
found = []


def search():
    found[:] = index.search(queries, depth)


seconds = job.repeat(asked, search)
if asked["check"]:
    scores, places = found
    job.keep_hits(asked["out"](".json"), places, scores)
job.answer(faiss.__version__, search=seconds)
