"""A job that processes can be given: a small network, whose loss is a mean over parts that differ in
size."""

import hashlib
import os
import time

import numpy as np

import minigrad as mg
from minigrad import functional as F
from minigrad import nn
from minigrad.workers import Gradients


class Share:
    """A part's share of the mean loss: a part is (numbers, rows, rows of all, what to do first)."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.net = nn.Sequential(nn.Linear(7, 33, rng=rng), np.tanh, nn.Linear(33, 5, rng=rng))

    def __call__(self, part):
        seed, rows, whole, first = part
        ACTIONS[first]()
        rng = np.random.default_rng(seed)
        x = mg.Tensor(rng.standard_normal((rows, 7)).astype(np.float32))
        y = F.dropout(self.net(x), 0.3, True, rng)
        return np.sum(y * y) / whole


def fail():
    raise ValueError("this part cannot be computed")


def die():
    os.kill(os.getpid(), 9)


ACTIONS = {"": lambda: None, "fail": fail, "die": die, "rest": lambda: time.sleep(0.3)}
SIZES = (3, 40, 1, 17, 8, 64, 5)  # in rows: all different, so that a mean of means is wrong


def parts(first=""):
    return [(seed, rows, sum(SIZES), first) for seed, rows in enumerate(SIZES)]


def job():
    share = Share()
    return Gradients(share, share.net.parameters())


def digest(arrays):
    """The bits of arrays, in short."""
    return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest()
