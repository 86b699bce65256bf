"""Writes the library's results for folders that infbench trained.

    trained.py FOLDER...
"""

import os
import sys

from common import Lines, quiet

quiet()

import yaml  # noqa: E402

import sides  # noqa: E402


def main():
    lines = Lines()
    for folder in sys.argv[1:]:
        with open(os.path.join(os.path.dirname(folder), "trial.yaml"), encoding="utf-8") as f:
            cell = yaml.safe_load(f)["cell"]
        how = [k for k in ("lora", "matryoshka") if k in cell["train"]]
        lines.note("trained: " + " + ".join([os.path.basename(cell["backbone"]), *how]), "dense", folder, lambda: None, sides.dense)


if __name__ == "__main__":
    main()
