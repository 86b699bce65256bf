"""Shared by the Python sides: the job they read, repetitions, their answer.

Run with the name of a module, it exits with 0 if that module can be used.
"""

import importlib
import json
import os
import re
import sys
import time


def read():
    """Return the job of the folder that is the first argument."""
    directory = sys.argv[1]
    with open(os.path.join(directory, "job.json")) as file:
        job = json.load(file)
    job["path"] = lambda name: os.path.join(directory, name)
    job["check"] = os.environ.get("PEERS_CHECK", "") != ""
    return job


def repeat(job, do):
    """Call do as often as the job asks; return the seconds of each timed call."""
    seconds = []
    for i in range(job["warm"] + job["timed"]):
        start = time.perf_counter()
        do()
        if i >= job["warm"]:
            seconds.append(time.perf_counter() - start)
    return seconds


def answer(version, **seconds):
    """Print the measurements."""
    print("peers: " + json.dumps({"seconds": seconds, "version": version}))


def blas():
    """Return the fast BLAS that this process has loaded, or None."""
    with open("/proc/self/maps") as maps:
        text = maps.read().lower()
    for name in ("openblas", "libmkl", "blis"):
        if name in text:
            return name
    return None


def blas_version():
    """Return the version of OpenBLAS that this process has loaded, "" if its name has none."""
    with open("/proc/self/maps") as maps:
        found = re.search(r"openblas[^/]*-r?([0-9.]+[0-9])", maps.read())
    return found.group(1) if found else ""


def probe(module):
    """Return why a module cannot be used, or None."""
    try:
        found = importlib.import_module(module)
    except ImportError as fault:
        return str(fault)
    bundled = module == "torch" and found.backends.mkl.is_available()
    if not bundled and blas() is None:
        return "it computes with a reference BLAS; libopenblas0-pthread has a fast one"
    return None


if __name__ == "__main__":
    reason = probe(sys.argv[1])
    if reason:
        sys.exit(reason)
