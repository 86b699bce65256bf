"""Multiplies queries with documents; the products are kept only for the check."""

import numpy
import threadpoolctl

import job

asked = job.read()
dim, depth = asked["dim"], asked["depth"]
queries = numpy.fromfile(asked["path"]("queries.f32"), dtype="<f4").reshape(-1, dim)
documents = numpy.fromfile(asked["path"]("documents.f32"), dtype="<f4").reshape(-1, dim)
scores = numpy.empty((len(queries), len(documents)), dtype=numpy.float32)
seconds = job.repeat(asked, lambda: numpy.matmul(queries, documents.T, out=scores))
if asked["check"]:
    best = numpy.argsort(-scores, axis=1)[:, :depth]
    job.keep_hits(asked["out"](".json"), best, numpy.take_along_axis(scores, best, 1))
blas = next(library for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas")
job.answer("%s (%s) through numpy %s" % (blas["version"], blas["architecture"], numpy.__version__), product=seconds)
