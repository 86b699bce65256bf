"""Writes what the library gives for folders that infbench trained.

    trained.py OUT FOLDER...
"""

import json
import os
import sys

from common import Lines, quiet

quiet()

import sides  # noqa: E402


def main():
    lines = Lines()
    for folder in sys.argv[2:]:
        about = json.load(open(os.path.join(os.path.dirname(folder), "cell.json"), encoding="utf-8"))
        lines.note(f"trained: {about}", "dense", folder, lambda: None, sides.dense)


if __name__ == "__main__":
    main()
