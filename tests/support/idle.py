"""When a desk under a pilot has nothing left to do.

Textual's pilot guesses that from the processor time of the last 20 ms: at least 40 ms a key, and up to a second
beside a thread that works, or beside other processes. Here the loop of events is asked: nothing is ready to run,
nothing waits to be painted. What another thread finds out comes later, as on any machine: a test waits for it by
`until`.

What a desk without a terminal paints is thrown away by Textual. So only whole screens are painted here, once the desk
rests, which finds a widget that cannot be; what has changed on a screen is painted when a test looks, and when it
leaves.
"""

from __future__ import annotations

import asyncio
import time
from contextvars import copy_context
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual._compositor import Compositor
from textual.app import App
from textual.css.model import RuleSet
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerState

THREADS = 0.02
"""Seconds that work in other threads is waited for, as in Textual: what is quick comes with the key that asked for
it."""
MOST = 1.0
"""Seconds of work after which a desk that never rests is left alone: of the processor, which others may have now."""


PAINT = Compositor.render_update


def install(patch: pytest.MonkeyPatch, app: App[Any]) -> None:
    """The pilot of this app asks the loop, and only whole screens are painted."""

    async def idle(*_: object, **__: object) -> bool:
        await rest(app)
        return app._exception is None

    for module in (textual.app, textual.pilot):
        patch.setattr(module, "wait_for_idle", idle)
    patch.setattr(Pilot, "_wait_for_screen", idle)
    patch.setattr(Compositor, "render_update", _whole_screens)
    patch.setattr(RuleSet, "__hash__", object.__hash__)  # by identity as before: asked a million times in each desk


def _whole_screens(compositor: Any, full: bool = False, *rest: Any, **named: Any) -> object:
    if full:
        return PAINT(compositor, True, *rest, **named)
    compositor.is_due = compositor.size.region in compositor._dirty_regions or getattr(compositor, "is_due", False)
    compositor._dirty_regions.clear()
    return None


async def rest(app: App[Any]) -> None:
    """Until nothing is ready to run, and the screen is painted."""
    await _rest(app)
    due: Any = app.screen._compositor if app.is_running and app.screen_stack else None
    if getattr(due, "is_due", False):
        due.is_due = False
        copy_context().run(PAINT, due, True, screen_stack=app._background_screens)


async def _rest(app: App[Any]) -> None:
    loop: Any = asyncio.get_running_loop()
    begin, worked = time.monotonic(), time.thread_time()
    while time.thread_time() - worked < MOST:
        await asyncio.sleep(0)
        if loop._ready:
            continue
        if app._resize_timer is not None:
            app._check_resize()
        elif app.is_running and app.screen_stack and _waits(app.screen):
            app.screen._on_timer_update()
        elif time.monotonic() - begin < THREADS and any(one.state is WorkerState.RUNNING for one in app.workers):
            await asyncio.sleep(0.002)
        else:
            return


def _waits(screen: Screen[Any]) -> object:
    """Whether the screen has something to paint, or to do once it is painted."""
    return not screen.app._batch_count and (
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )
