"""Shared by the Python sides: the job they read, repetitions, their answer."""

import json
import os
import sys
import time


def read():
    """Return the job of the folder that is the first argument.

    The second is the name of the side, with which its output files begin, and the others
    are its options.
    """
    directory = sys.argv[1]
    with open(os.path.join(directory, "job.json")) as file:
        job = json.load(file)
    job["path"] = lambda name: os.path.join(directory, name)
    job["out"] = lambda ending: os.path.join(directory, sys.argv[2] + ending)
    job["options"] = sys.argv[3:]
    job["check"] = os.environ.get("PEERS_CHECK", "") != ""
    return job


def lines(path):
    """Return the lines of a file."""
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def load(path):
    """Return the value of a JSON file."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def keep(path, value):
    """Write a value to a JSON file."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def keep_hits(path, places, scores):
    """Write rankings: rows of documents' numbers, and their scores."""
    keep(path, [[{"id": str(place), "score": float(score)} for place, score in zip(*row)] for row in zip(places, scores)])


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
