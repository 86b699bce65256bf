"""Scores a run with pytrec-eval and prints what trec_eval prints."""

import importlib.metadata
import os
import sys

import pytrec_eval

folder = sys.argv[1]
with open(os.path.join(folder, "qrels")) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(os.path.join(folder, "run")) as file:
    name = file.readline().split()[-1]
    file.seek(0)
    run = pytrec_eval.parse_run(file)
found = pytrec_eval.RelevanceEvaluator(qrels, {"official"}).evaluate(run)
print("runid\tall\t%s\nnum_q\tall\t%d" % (name, len(found)))
for measure in next(iter(found.values())):
    if measure in ("num_q", "runid"):
        continue
    value = pytrec_eval.compute_aggregated_measure(measure, [values[measure] for values in found.values()])
    print(("%s\tall\t%d" if measure.startswith("num_") else "%s\tall\t%.4f") % (measure, value))
print("peers: " + '{"version":"%s"}' % importlib.metadata.version("pytrec-eval-terrier"))
