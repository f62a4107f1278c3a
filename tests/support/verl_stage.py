"""A stage for the exported loop of a verl trainer: stand-ins for verl's base classes; a model by script.

A token is a character; the two marks of ChatML are tokens of their own. The stand-ins give just what the facts file
says of verl.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

BEGIN, END = 0x110000, 0x110001
MARKS = {"<|im_start|>": BEGIN, "<|im_end|>": END}
PACKAGES = (
    "verl", "verl.experimental", "verl.experimental.agent_loop", "verl.tools", "verl.trainer", "verl.utils",
    "verl.utils.dataset", "verl.workers", "verl.workers.rollout",
)  # fmt: skip


class Tokenizer:
    """ChatML over characters."""

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        ids, at = [], 0
        while at < len(text):
            mark = next((mark for mark in MARKS if text.startswith(mark, at)), "")
            ids.append(MARKS[mark] if mark else ord(text[at]))
            at += len(mark) or 1
        return ids

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = False) -> str:
        marks = {number: "" if skip_special_tokens else mark for mark, number in MARKS.items()}
        return "".join(marks[one] if one in marks else chr(one) for one in ids)

    def convert_tokens_to_ids(self, token: str) -> int:
        return MARKS[token]

    def apply_chat_template(
        self, messages: Sequence[dict[str, str]], add_generation_prompt: bool = False, tools: Any = None, **_: Any,
    ) -> list[int]:  # fmt: skip
        assert not tools, "the schemas stand in the system prompt"
        text = "".join(f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in messages)
        return self.encode(text + ("<|im_start|>assistant\n" if add_generation_prompt else ""))


class Server:
    """Says its replies one after the other, each with the mark of its end."""

    def __init__(self, replies: Sequence[str], logprobs: bool = True) -> None:
        self.replies, self.logprobs = list(replies), logprobs
        self.prompts: list[list[int]] = []

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any]
    ) -> SimpleNamespace:
        self.prompts.append(list(prompt_ids))
        ids = [*Tokenizer().encode(self.replies[len(self.prompts) - 1]), END]
        return SimpleNamespace(
            token_ids=ids, log_probs=[-0.5] * len(ids) if self.logprobs else None, routed_experts=None,
            num_preempted=0,
            extra_fields={"max_global_steps": len(self.prompts)},
        )  # fmt: skip


def _names(monkeypatch: pytest.MonkeyPatch, name: str, **inside: Any) -> None:
    module = ModuleType(name)
    vars(module).update(inside)
    monkeypatch.setitem(sys.modules, name, module)


def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """verl as far as the loop and the tools know it."""
    for name in PACKAGES:
        _names(monkeypatch, name, __path__=[])
    _names(monkeypatch, "verl.tools.base_tool", BaseTool=BaseTool)
    _names(monkeypatch, "verl.tools.schemas", ToolResponse=ToolResponse)
    _names(
        monkeypatch, "verl.experimental.agent_loop.agent_loop", AgentLoopBase=AgentLoopBase,
        AgentLoopOutput=AgentLoopOutput,
    )  # fmt: skip


def load(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of an exported folder."""
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "moot_verl", raising=False)
    module = importlib.import_module("moot_verl")
    monkeypatch.delitem(sys.modules, "moot_verl")
    return module


def config(response: int = 28_671, turns: int | None = 15) -> SimpleNamespace:
    """As much of the trainer's settings as a loop reads."""
    multi = SimpleNamespace(max_assistant_turns=turns)
    rollout = SimpleNamespace(
        multi_turn=multi, response_length=response, prompt_length=1 << 20, full_determinism=False
    )
    return SimpleNamespace(actor_rollout_ref=SimpleNamespace(rollout=rollout))


class ToolResponse:
    def __init__(self, text: str | None = None) -> None:
        self.text = text


class BaseTool:
    def __init__(self, config: dict[str, Any], tool_schema: Any) -> None:
        self.name = tool_schema.function.name

    async def create(self, instance_id: str | None = None, **kwargs: Any) -> tuple[str, ToolResponse]:
        return instance_id or "1", ToolResponse()

    async def execute(self, instance_id: str, parameters: dict[str, Any], **kwargs: Any) -> Any:
        raise NotImplementedError

    async def release(self, instance_id: str, **kwargs: Any) -> None: ...


class AgentLoopOutput(SimpleNamespace): ...


class Builder:
    def render_delta_token_id(
        self, prefix_messages: list[Any], appended_messages: list[Any], *, add_generation_prompt: bool = False,
        tools: Any = None,
    ) -> list[int]:  # fmt: skip
        before = Tokenizer().apply_chat_template(prefix_messages, tools=tools)
        after = [*prefix_messages, *appended_messages]
        return Tokenizer().apply_chat_template(after, add_generation_prompt=add_generation_prompt)[len(before) :]

    def _merge_context_token_ids(
        self, runtime_token_ids: list[int], appended_token_ids: list[int], **kwargs: Any
    ) -> SimpleNamespace:
        lacking = [ord("\n")] if runtime_token_ids[-1] == END else []
        return SimpleNamespace(
            token_ids=[*runtime_token_ids, *lacking, *appended_token_ids], masked=len(lacking + appended_token_ids)
        )

    def align_response_metadata(
        self, merge_result: Any, response_mask: list[int], response_logprobs: list[float] | None = None, *,
        assistant_logprobs: list[float] | None = None,
    ) -> tuple[list[int], list[float] | None]:  # fmt: skip
        lost = [0] * merge_result.masked
        return response_mask + lost, None if response_logprobs is None else response_logprobs + [0.0] * len(lost)


class AgentLoopBase:
    def __init__(
        self, trainer_config: Any, server_manager: Any, tokenizer: Any, processor: Any, dataset_cls: Any,
        data_config: Any,
        hf_model_type: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        self.rollout_config = trainer_config.config.actor_rollout_ref.rollout
        self.server_manager, self.tokenizer = server_manager, tokenizer
        self.continuous_token_builder = Builder()

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> Any:
        raise NotImplementedError

    async def ct_build_initial_tokens(
        self, messages: list[Any], tools: Any = None, images: Any = None, videos: Any = None, audios: Any = None,
        mm_inputs_out: Any = None,
    ) -> list[int]:  # fmt: skip
        return Tokenizer().apply_chat_template(messages, add_generation_prompt=True, tools=tools)

    async def ct_merge_context_msg(
        self, previous_messages: list[Any], updated_messages: list[Any], runtime_token_ids: list[int],
        response_mask: list[int], response_logprobs: list[float] | None = None, tools: Any = None,
    ) -> tuple[Any, ...]:  # fmt: skip
        builder = self.continuous_token_builder
        new = updated_messages[len(previous_messages) :]
        delta = builder.render_delta_token_id([], new, add_generation_prompt=True, tools=tools)
        merged = builder._merge_context_token_ids(runtime_token_ids, delta)
        return merged, *builder.align_response_metadata(merged, response_mask, response_logprobs)

    async def ct_merge_assistant_token(
        self, runtime_token_ids: list[int], assistant_token_ids: list[int], response_mask: list[int],
        response_logprobs: list[float] | None = None, assistant_logprobs: list[float] | None = None,
    ) -> tuple[Any, ...]:  # fmt: skip
        merged = SimpleNamespace(token_ids=runtime_token_ids + assistant_token_ids)
        known = None if response_logprobs is None else response_logprobs + (assistant_logprobs or [])
        return merged, response_mask + [1] * len(assistant_token_ids), known
