"""Makes variants of model folders and writes the library's results for each.

    variants.py OUT [--pairs N] [--only TEXT]

OUT gets a folder for each, and texts.json with the texts.
"""

import itertools
import json
import os
import random
import shutil

from common import Lines, arguments, link, quiet

quiet()

import adapters  # noqa: E402
import expressions  # noqa: E402
import keys  # noqa: E402
import networks  # noqa: E402
import sides  # noqa: E402
from texts import DOCUMENTS, QUERIES  # noqa: E402


def variants(bases, pairs):
    """An unchanged base, each change of it, and a number of random pairs of changes."""
    for base in bases:
        changes = [c for c in keys.CHANGES if c[2](base)]
        yield base, []
        for c in changes:
            yield base, [c]
        every = [p for p in itertools.combinations(changes, 2) if p[0][0] != p[1][0]]
        for p in random.Random(base.name).sample(every, min(pairs, len(every))):
            yield base, list(p)


def main():
    a = arguments()
    os.makedirs(a.out, exist_ok=True)
    json.dump(dict(queries=QUERIES, documents=DOCUMENTS), open(os.path.join(a.out, "texts.json"), "w"))
    bases = []
    for kind, group in dict(dense=networks.DENSE, cross=networks.CROSS, sparse=networks.SPARSE, late=networks.LATE).items():
        for name, make in group.items():
            bases.append(keys.Base(name, kind))
            make(os.path.join(a.out, "base", name))
    for name in networks.DENSE:  # these are trained
        prompted = os.path.join(a.out, "base", name + "_prompted")
        shutil.rmtree(prompted, ignore_errors=True)
        shutil.copytree(os.path.join(a.out, "base", name), prompted)
        keys.edit(keys.ST, ("prompts", dict(query="search: ", document="passage: ")))(prompted)
    for name, made in networks.BODIES.items():
        networks.body(os.path.join(a.out, "base", name), made())
    lines = Lines(a.only)
    for n, (base, changes) in enumerate(variants(bases, a.pairs)):
        folder = os.path.join(a.out, "variants", f"{n:04}")

        def make(base=base, changes=changes, folder=folder):
            shutil.copytree(os.path.join(a.out, "base", base.name), folder, copy_function=link)
            for c in changes:
                c[3](folder)

        name = base.name + ": " + (" + ".join(f"{key} = {value}" for key, value, *_ in changes) or "as saved")
        lines.note(name, base.kind, folder, make, sides.KINDS[base.kind])
    for module, read in ((expressions, sides.dense), (adapters, sides.adapter)):
        for name, folder, make in module.variants(a.out):
            lines.note(name, "dense", folder, make, read)


if __name__ == "__main__":
    main()
