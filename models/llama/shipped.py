"""The model that comes with Moot: a tiny agent, trained on fictional jurisdictions, so that a machine without any
weights can show llama.cpp at work.

`models/tiny` holds its file and its card: name, sha256, the form of calls and the context (tokens) that it was
trained with, and the kinds of questions that it knows, with an example of each. It is for demonstration only.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.errors import BadEngine

FOLDER = Path(__file__).parents[1] / "tiny"
CARD = "card.toml"


class QuestionKind(BaseModel):
    """A kind of questions that the model knows, with one about the sample pack that it has solved."""

    model_config = ConfigDict(frozen=True)
    name: str
    example: str
    keys: tuple[str, ...] = ()
    """What its answer has to hold."""


class Training(BaseModel):
    """What came out of its training."""

    model_config = ConfigDict(frozen=True)
    parameters: int = 0
    quantised: str = ""


class Card(BaseModel):
    """What is said of the model."""

    model_config = ConfigDict(frozen=True)
    name: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    form: str
    """How it was trained to call tools, one of `tasks.agents.modes.CALLS`."""
    context: int = Field(gt=0)
    """Tokens of the longest conversations that it was trained on."""
    training: Training = Training()
    kinds: tuple[QuestionKind, ...] = ()
    """Those of which it has solved one, from the fewest hops to the most."""

    @property
    def file(self) -> Path:
        """Where its file should be."""
        return FOLDER / f"{self.name}.gguf"

    @property
    def spec(self) -> str:
        """How it is named where an engine is named."""
        return f"llama:{self.name}"


def card() -> Card | None:
    """The card of the model that came with Moot; None where none came, or its card is damaged."""
    return _read(FOLDER / CARD)


@lru_cache(maxsize=4)
def _read(path: Path) -> Card | None:
    try:
        return Card.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError):
        return None


def is_shipped(spec: str) -> bool:
    """Whether the SPEC of an engine names the model that came with Moot, whatever is set behind it."""
    about = card()
    return about is not None and spec.partition("#")[0] == about.spec


def gone(name: str, state: str) -> BadEngine:
    """The error for its file where that is missing, or another than the card says."""
    return BadEngine(
        f"The file of '{name}', which comes with Moot, is gone"
        if state == "missing"
        else f"The file of '{name}', which comes with Moot, is damaged",
        "Install Moot again; other models are not touched by it.",
    )
