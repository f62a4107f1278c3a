"""What a run of the courts can set beyond the common settings."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationInfo, field_validator

from tasks.courts.environment import codes, environment
from tasks.episode.with_tools import SEAT
from tasks.errors import BadSetting
from tasks.run.spec import RunSpec
from tasks.settings import Settings, setting


class CourtSettings(Settings):
    """Which cases are heard, by which duties, and what the tested seat may look up."""

    temperature: float | None = setting(
        None,
        "Sampling temperature of the tested seat, at 0 all seats are greedy; default: as the file of the model says.",
        for_models=True,
        ge=0,
    )
    entropy: bool = setting(
        False, "Record the entropy of every token of the tested seat, where the engine has full logits.", hidden=True
    )
    env: str = setting("", "Only cases of this environment.", one_of="environments")
    profile: Literal["law", "j1"] = setting(
        "law", "Duties of the statutes, or agendas, markers and limits of the published benchmark."
    )
    tools: Literal["on", "off", "rag", "web"] = setting(
        "on", "Whether the tested seat may search (j1: only with rag, then not comparable)."
    )
    fold: bool = setting(
        False,
        "Fold what no longer fits into a standing file under j1, too (then not comparable).",
        for_models=True,
    )
    aid: Literal["off", "duties"] = setting(
        "off",
        "Name to the judge in every turn what is next, and to whom (only profile law; then not comparable).",
        for_models=True,
    )
    measured: str = setting(
        "",
        "The role that the run measures and nobody helps; default: the tested seat.",
        for_models=True,
        metavar="ROLE",
    )
    law_pack: str = setting(
        "",
        "The pack whose statutes may be searched; default: the run's own pack, if its law is real.",
        metavar="PACK",
    )

    @field_validator("env", mode="before")
    @classmethod
    def _in_any_case(cls, env: object) -> object:
        return env.upper() if isinstance(env, str) else env

    @field_validator("aid")
    @classmethod
    def _no_aid_where_published(cls, aid: str, info: ValidationInfo) -> str:
        if aid != "off" and info.data.get("profile") == "j1":
            raise BadSetting(
                "profile j1 knows no aid", "Leave --aid out, or play the duties of the statutes with --profile law."
            )
        return aid

    @field_validator("measured")
    @classmethod
    def _a_role(cls, role: str) -> str:
        roles = sorted({one for code in codes() for one in environment(code).others})
        if role and role not in roles:
            raise BadSetting(
                f"no environment has a role '{role}' beside the tested one", f"Name one of {', '.join(roles)}."
            )
        return role

    @field_validator("env")
    @classmethod
    def _known(cls, env: str) -> str:
        if env:
            environment(env)
        return env

    def samples(self, seat: str) -> bool:
        """Under `law` whoever speaks: greedy, small models repeat themselves. The tracker only reads."""
        asked = self.temperature is not None and (seat == SEAT or self.temperature == 0)
        return self.profile == "law" and seat != "tracker" and not asked

    def prompts(self) -> dict[str, str]:
        """How what was said is put to a model: since `chat-1` two people talk as a plain chat."""
        return {"conversation": "chat-1"} if self.profile == "law" else {}


def settings_of(spec: RunSpec) -> CourtSettings:
    """The settings of a run of the courts."""
    return CourtSettings.of(spec.settings, "courts")
