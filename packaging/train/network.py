"""The network: a Llama of two million parameters in plain JAX, float32, and how it is begun and bettered.

Shapes: B rows of T tokens; several conversations share a row, `segment` (B, T) keeps them apart. Rotary positions
turn interleaved pairs, so the weights go into a GGUF file as they are. Base 1e6 leaves half of a head's pairs nearly
still over a conversation: the copy heads that the network begins with match by content there.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

os.environ.setdefault(
    "XLA_FLAGS",
    " ".join(
        (
            "--xla_cpu_multi_thread_eigen=false",
            "intra_op_parallelism_threads=1",
            "--xla_gpu_deterministic_ops=true",
            "--xla_gpu_autotune_level=0",
        )
    ),
)
os.environ.setdefault("OMP_NUM_THREADS", "1")

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError:
    sys.exit("Training needs JAX, which is not installed. Say: pip install '.[train]'")

jax.config.update("jax_default_matmul_precision", "highest")

Weights = dict[str, Any]
EPSILON = 1e-5
UNROLL = True
NEWTON = 3
"""Steps towards an orthogonal matrix: five are usual, three cost a sixth of the training less."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network."""

    vocabulary: int
    width: int = 192
    layers: int = 4
    heads: int = 4
    feed: int = 512
    base: float = 1e6
    context: int = 1024

    @property
    def head(self) -> int:
        """Width of a head."""
        return self.width // self.heads


def begin(shape: Shape, seed: int, back: float = 0.5, sure: float = 2.4, copied: float = 1.6) -> Weights:
    """The weights before training: a network that already copies.

    Tokens lie in the first half of the width. Three heads of layer 0 look back one, two and three tokens and write
    what they see into the second half; two heads of layer 1 find where the last three tokens stood before, in the
    pairs of their keys that hardly turn, and write what followed. Copying is most of what this model does, and random
    weights hardly find it.
    """
    rng = np.random.default_rng(seed)
    d, hd, f, layers, half = shape.width, shape.head, shape.feed, shape.layers, shape.width // 2

    def normal(rows: int, columns: int, scale: float) -> np.ndarray:
        return rng.normal(0.0, scale, (layers, rows, columns))

    def lines(count: int) -> np.ndarray:
        """Directions of the first half, at right angles to each other."""
        made = np.zeros((count, d))
        made[:, 1:half] = np.linalg.qr(rng.normal(size=(half - 1, half - 1)))[0][:count]
        return made

    embedding = rng.normal(0.0, 0.03, (shape.vocabulary, d))
    embedding[:, :half] = rng.normal(0.0, 4.0 * half**-0.5, (shape.vocabulary, half))
    embedding[:, 0] = 1.0
    q, k, v = (normal(d, d, 0.2 * d**-0.5) for _ in "qkv")
    out, down = normal(d, d, 0.1 * d**-0.5), normal(d, f, 0.1 * f**-0.5)
    turns = shape.base ** (-np.arange(hd // 2) / (hd // 2))
    part = half // 3
    look = lines(part)
    behind = np.zeros((3, part, d))
    for number in range(3):
        behind[number, :, half + number * part : half + (number + 1) * part] = np.eye(part)
        rows = slice(number * hd, (number + 1) * hd)
        q[0, rows] = k[0, rows] = v[0, rows] = 0.0
        out[0, :, rows] = 0.0
        for pair in range(min(7, hd // 2)):
            at, angle = number * hd + 2 * pair, -(number + 1) * turns[pair]
            q[0, at, 0], q[0, at + 1, 0] = 2.5 * np.cos(angle), 2.5 * np.sin(angle)
            k[0, at, 0] = 2.5
        v[0, number * hd : number * hd + part] = look
        out[0, :, number * hd : number * hd + part] = back * behind[number].T
    whole, seen = lines(half - 1), (look, behind[0], behind[1])
    for head in range(2):
        rows = slice(head * hd, (head + 1) * hd)
        q[1, rows] = k[1, rows] = v[1, rows] = 0.0
        out[1, :, rows] = 0.0
        still = 2 * (hd * 9 // 48)
        for number in range(hd - still):
            at, which, line = head * hd + still + number, number % 3, (number // 3 + 11 * head) % part
            q[1, at], k[1, at] = sure * seen[which][line], sure * behind[which][line]
        moved = whole[head::2]
        v[1, head * hd : head * hd + len(moved)] = moved
        out[1, :, head * hd : head * hd + len(moved)] = copied * moved.T
    made = {
        "embedding": embedding, "last": np.full(d, 0.35), "norm1": np.ones((layers, d)),
        "norm2": np.ones((layers, d)),
        "q": q, "k": k, "v": v, "o": out,
        "gate": normal(f, d, 0.5 * d**-0.5), "up": normal(f, d, 0.5 * d**-0.5), "down": down,
    }  # fmt: skip
    return {name: jnp.asarray(value, jnp.float32) for name, value in made.items()}


def _norm(x: Any, weight: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + EPSILON) * weight


def _pairs(shape: Shape, length: int) -> tuple[Any, Any, Any]:
    """Rotary positions for (T, 1, head): cosine, sine, and the matrix that takes pairs (a, b) to (-b, a)."""
    angles = np.arange(length)[:, None] * shape.base ** (-np.arange(shape.head // 2) / (shape.head // 2))
    swap = np.kron(np.eye(shape.head // 2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    whole = np.repeat(angles, 2, axis=1)[:, None, :]
    return tuple(jnp.asarray(part, jnp.float32) for part in (np.cos(whole), np.sin(whole), swap))


def hidden(weights: Weights, shape: Shape, ids: Any, segment: Any) -> Any:
    """(B, T) token ids and segments to (B, T, width), normalised for the output rows."""
    rows, length = ids.shape
    cos, sin, swap = _pairs(shape, length)
    seen = (segment[:, :, None] == segment[:, None, :]) & jnp.tril(jnp.ones((length, length), bool))
    hide = jnp.where(seen, 0.0, -1e9)[:, None]

    def layer(x: Any, part: Weights) -> tuple[Any, None]:
        y = _norm(x, part["norm1"])
        q, k, v = ((y @ part[name].T).reshape(rows, length, shape.heads, shape.head) for name in "qkv")
        q, k = (one * cos + (one @ swap) * sin for one in (q, k))
        scores = jnp.einsum("bthd,bshd->bhts", q * shape.head**-0.5, k) + hide
        share = jax.nn.softmax(scores, -1)
        x = x + jnp.einsum("bhts,bshd->bthd", share, v).reshape(rows, length, -1) @ part["o"].T
        y = _norm(x, part["norm2"])
        return x + (jax.nn.silu(y @ part["gate"].T) * (y @ part["up"].T)) @ part["down"].T, None

    inner = {name: value for name, value in weights.items() if name not in ("embedding", "last")}
    x, _ = jax.lax.scan(layer, weights["embedding"][ids], inner, unroll=UNROLL)
    return _norm(x, weights["last"])


def logits(weights: Weights, shape: Shape, ids: Any, segment: Any, at: Any) -> Any:
    """Logits (N, vocabulary) after the flat positions `at` of (B, T)."""
    said = hidden(weights, shape, ids, segment).reshape(-1, shape.width)[at]
    return said @ weights["embedding"].T


def loss(weights: Weights, shape: Shape, batch: Any) -> Any:
    """Mean cross entropy in nats over the agent's own tokens of a batch (ids, segment, at, target, weight).

    A weight is 1, or what the token is worth: the advantage of its rollout, which may be negative. 0 is no token.
    """
    ids, segment, at, target, weight = batch
    found = jax.nn.log_softmax(logits(weights, shape, ids, segment, at))
    return -(found[jnp.arange(len(at)), target] * weight).sum() / jnp.maximum((weight != 0).sum(), 1)


# --- Muon for matrices, Adam for the rest ---------------------------------------------------------------------------

MUON, ADAM = 0.01, 1e-3
MATRICES = ("q", "k", "v", "o", "gate", "up", "down")


def still(weights: Weights) -> Weights:
    """The state of the optimiser at the start: momenta."""
    zeros = {name: jnp.zeros_like(value) for name, value in weights.items()}
    return {"first": zeros, "second": {n: jnp.zeros_like(v) for n, v in weights.items() if n not in MATRICES}}


def _orthogonal(g: Any) -> Any:
    """Nearest orthogonal matrices of (layers, rows, columns), by steps of Newton and Schulz (Muon)."""
    wide = g.shape[-1] >= g.shape[-2]
    x = g if wide else g.swapaxes(-1, -2)
    x = x / (jnp.linalg.norm(x, axis=(-2, -1), keepdims=True) + 1e-7)
    for _ in range(NEWTON):
        a = x @ x.swapaxes(-1, -2)
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x if wide else x.swapaxes(-1, -2)


def free(shape: Shape) -> Weights:
    """What may change of the matrices, 1 or 0: where the copy heads look stays as it began, else it is soon lost."""
    mask = {name: np.ones((shape.layers, 1, 1)) for name in MATRICES}
    for name in "qkvo":
        mask[name] = np.ones((shape.layers, shape.width, shape.width))
    mask["q"][0, : 3 * shape.head] = mask["k"][0, : 3 * shape.head] = mask["v"][0, : 3 * shape.head] = 0.0
    mask["o"][0, :, : 3 * shape.head] = 0.0
    mask["q"][1, : 2 * shape.head] = mask["k"][1, : 2 * shape.head] = 0.0
    return {name: jnp.asarray(value, jnp.float32) for name, value in mask.items()}


def better(
    weights: Weights, state: Weights, gradients: Weights, step: Any, rate: Any, mask: Weights
) -> tuple[Weights, Weights]:
    """One step: Muon on matrices, Adam on embedding and norms, at MUON and ADAM times `rate` (0 to 1)."""
    first, second, after = {}, {}, {}
    size = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients.values()))
    calm = jnp.minimum(1.0, 1.0 / (size + 1e-6))
    for name, weight in weights.items():
        g = gradients[name] * calm
        if name in MATRICES:
            first[name] = 0.95 * state["first"][name] + 0.05 * g * mask[name]
            moved = _orthogonal(0.95 * first[name] + 0.05 * g * mask[name]) * mask[name]
            wide = max(1.0, weight.shape[-2] / weight.shape[-1]) ** 0.5
            after[name] = weight - MUON * rate * wide * moved
        else:
            first[name] = 0.9 * state["first"][name] + 0.1 * g
            second[name] = 0.98 * state["second"][name] + 0.02 * g * g
            mean, square = first[name] / (1 - 0.9**step), second[name] / (1 - 0.98**step)
            after[name] = weight - ADAM * rate * mean / (jnp.sqrt(square) + 1e-8)
    return after, {"first": first, "second": second}
