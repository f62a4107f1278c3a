"""Trial chat with a model of the library: does it load, how fast is it, what does it say. Nothing of it is stored."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input, Label
from textual.worker import Worker

from app.desk.bindings import bindings
from app.desk.episode.calls import call_lines
from app.desk.episode.open import OpenTurn
from app.desk.episode.open_turn import phase_word
from app.desk.episode.renderers import Line, many, one
from app.desk.models.chat_log import ChatLog, Spoken
from app.desk.models.chatting import PROMPT, SEAT, TEMPERATURE, Answered, Failed, Ready, Trial, clock
from app.desk.models.listing import ModelLine, billions, size_words, trial_spec
from app.desk.plain import LONGEST_FIELD, LineInput
from app.desk.widgets.answer_box import AnswerBox, AnswerText
from app.desk.widgets.key_bar import KeyBar
from app.ports import OnDesk
from app.strings import t
from app.strings.sentences import said
from app.terminal import truncate
from models.engine import Message, Reply
from tasks.episode.events import ModelCalled

LOOK = 0.05
"""Seconds between two looks at an answer that is being made."""


class ChatBox(AnswerBox):
    """Where the person types. Esc stops the answer, and leaves the chat when there is none."""

    help_id = "trial"

    def explain(self) -> None:
        """Say how to use it."""
        self.border_title = t("trial.box")
        self.query_one(Label).update(t("trial.hint"))

    def action_leave(self) -> None:
        """Stop, or leave."""
        cast(TrialScreen, self.screen).action_stop()

    def put_back(self, text: str) -> None:
        """What was said could not be taken now: it is a draft again."""
        self.query_one(AnswerText).text = text

    def focus_box(self) -> None:
        """The cursor where one types."""
        self.query_one(AnswerText).focus()


class TrialScreen(OnDesk, Screen[None]):
    """System prompt, conversation, text box."""

    CSS_PATH = "chat.tcss"
    area = "trial"
    help_id = "trial"
    BINDINGS: ClassVar[list[BindingType]] = bindings("trial")

    def __init__(self, model: ModelLine, spec: str = "") -> None:
        """Open a chat; `spec` names another engine than the model's own."""
        super().__init__()
        self.model = model
        self.trial: Trial | None = None
        self.ready = False
        self.dead = False
        self.thinking = True
        self.facts: dict[str, Any] = {}
        self.said: list[Message] = []
        self._spec = spec
        self._calls = 0
        self._waiting = False
        self._seen: tuple[OpenTurn, int] | None = None

    def compose(self) -> ComposeResult:
        """Title, system prompt, conversation, box, keys."""
        yield Label("", id="title", markup=False)
        with Horizontal(id="system-line"):
            yield Label("", id="system-label", markup=False)
            yield LineInput(t("trial.system"), id="system", max_length=LONGEST_FIELD, select_on_focus=False)
        yield ChatLog(id="chat")
        yield ChatBox(id="box")
        yield KeyBar(("trial", "app"), id="keys")

    def on_mount(self) -> None:
        """Load the model, and have the cursor where one types."""
        self.retranslate()
        self.query_one(ChatBox).open("")
        self.set_interval(LOOK, self._look)
        self.run_worker(self._begin, name="trial", group="trial", thread=True, exit_on_error=False)

    def _begin(self) -> None:
        """The thread: which SPEC fits into memory, then the engine until the chat is left."""
        trial = Trial(self._spec or trial_spec(self.model), self.post_message)
        self.trial = trial
        if self.is_attached:
            trial.work()

    def on_unmount(self) -> None:
        """However the chat ends, the model is freed."""
        if self.trial is not None:
            self.trial.close()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """The thread ended by a defect: a dialog says so."""
        self.desk.worker_failed(event)

    def retranslate(self) -> None:
        """All words in the current language."""
        self.query_one("#system-label", Label).update(t("trial.system.label"))
        chat = self.query_one(ChatLog)
        chat.border_title = t("trial.title")
        chat.relabel()
        self.query_one(ChatBox).explain()
        self._show()

    # what is shown

    @property
    def answering(self) -> bool:
        """Whether an answer is being made."""
        return self._waiting

    def _look(self) -> None:
        """Paint what is new, and a second that has passed; nothing else is touched while a person types."""
        turn = self.trial.turn if self.trial is not None else None
        if turn is None or not self.is_current:
            return
        seen, now = (turn, int(clock() - turn.began)), clock()
        if seen == self._seen:
            return
        changed = self._seen is None or self._seen[0].phase != turn.phase
        self._seen = seen
        self.query_one(ChatLog).stream(turn, now)
        if changed:
            self._show()

    def _show(self) -> None:
        entry = self.model.entry
        turn = self.trial.turn if self.trial is not None else None
        state = "dead" if self.dead else "ready" if self.ready else "opening"
        word = phase_word(turn) if turn is not None else t(f"trial.state.{state}")
        parts = [
            t("trial.name", name=one(self.model.name)),
            f"{billions(entry.parameters)} {one(entry.quantisation)}",
        ]
        if context := self.facts.get("context"):
            parts.append(t("trial.context", n=f"{context:,}"))
        if memory := self.facts.get("memory"):
            parts.append(t("trial.memory", size=size_words(int(memory))))
        left = truncate(" · ".join([word, *parts]), max(20, self.size.width - 2))
        self.query_one("#title", Label).update(left)
        self.query_one(KeyBar).refresh()

    @on(Ready)
    def _ready(self, event: Ready) -> None:
        self.ready = True
        self.facts = event.facts
        self.query_one(ChatLog).stream(None, 0.0)
        self._note(t("trial.loaded", temperature=TEMPERATURE), "dim")

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        self._waiting = False
        reply = event.reply
        if reply.text or reply.finish != "cancelled":
            self.said.append(Message("assistant", reply.text))
        else:
            self.said.pop()
        text, thought, note = reply.text.strip(), reply.reasoning.strip(), one(said(reply.note))
        lines = [*(many(text) if text else ()), self._cost(reply, event.speed)]
        lines += [((note, "warn"),)] if note else []
        self.query_one(ChatLog).say(Spoken("model", tuple(lines), many(thought, "thought") if thought else ()))
        self._show()

    def _cost(self, reply: Reply, speed: float | None) -> Line:
        """What an answer cost; of one that was stopped before anybody counted only how fast it came."""
        usage = reply.usage
        uncounted = reply.finish == "cancelled" and not usage.generated
        called = ModelCalled(
            seat=SEAT, call=self._calls, prompt=PROMPT, asked="", messages=(), settings={}, text="",
            finish=reply.finish, evaluated=usage.evaluated, reused=usage.reused, generated=usage.generated,
            milliseconds=0.0 if speed is not None else usage.milliseconds, origin=usage.origin,
        )  # fmt: skip
        pieces = [(t("finish.cancelled"), "warn")] if uncounted else list(call_lines(called)[0][0])
        if speed is not None:
            rate = f"{speed:.0f}" if speed >= 10 else f"{speed:.1f}"
            time = [] if uncounted else [(t("event.seconds", n=f"{usage.milliseconds / 1000:.1f}"), "dim")]
            for piece in (*time, (t("turn.speed", n=rate), "dim")):
                pieces += [(" · ", "dim"), piece]
        return tuple(pieces)

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self._waiting = False
        self.dead = self.dead or event.fatal
        if self.said and self.said[-1].role == "user":
            self.said.pop()
        self.query_one(ChatLog).stream(None, 0.0)
        self._note(one(said(event.title)), "bad", one(said(event.hint)))
        self._show()

    def _note(self, text: str, role: str, hint: str = "") -> None:
        lines: list[Line] = [((text, role),)]
        if hint:
            lines.append(((hint, "dim"),))
        self.query_one(ChatLog).say(Spoken("note", tuple(lines)))
        self._show()

    # wishes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense at the moment is dim."""
        if action in ("fresh", "thinking", "send") and (self.answering or self.dead):
            return None
        return True

    @on(AnswerBox.Said)
    def _said(self, event: AnswerBox.Said) -> None:
        event.stop()
        box = self.query_one(ChatBox)
        if self.trial is None or self.answering or self.dead:
            box.put_back(event.text)
            self.desk.say(t("trial.dead" if self.dead else "trial.busy"), "warning")
            return
        self._waiting = True
        self._calls += 1
        self.said.append(Message("user", event.text))
        self.query_one(ChatLog).say(Spoken("person", many(event.text)))
        system = self.query_one("#system", Input).value.strip()
        messages = (*((Message("system", system),) if system else ()), *self.said)
        self.trial.ask(messages, thinking=self.thinking, seed=self._calls)
        self._show()

    def action_send(self) -> None:
        """Send what is typed, from anywhere on the screen."""
        self.query_one(ChatBox).action_send()

    def action_stop(self) -> None:
        """Stop the answer; leave when there is none."""
        if self.answering and self.trial is not None:
            self.trial.stop()
        else:
            self.dismiss()

    def action_fresh(self) -> None:
        """Forget the conversation."""
        if not self.answering:
            self.said.clear()
            self.query_one(ChatLog).fresh()
            self.query_one(ChatBox).focus_box()

    def action_system(self) -> None:
        """To the system prompt, and back to the text box."""
        system = self.query_one("#system", Input)
        if system.has_focus:
            self.query_one(ChatBox).focus_box()
        else:
            system.focus()

    def on_input_submitted(self) -> None:
        """Enter in the system prompt: back to the text box."""
        self.query_one(ChatBox).focus_box()

    def action_thinking(self) -> None:
        """Whether a template that knows a thinking mode may use it."""
        self.thinking = not self.thinking
        self.desk.say(t("trial.thinking.on" if self.thinking else "trial.thinking.off"))
