"""Simulators that answer nothing: in any seat, whatever is asked. Each kind is a function of the view; all texts are
our own."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tasks.courts.play.view import CourtView
from tasks.episode.seats import Move, Say

UNRELATED = """今天天气不错，我们打算去公园散步，顺便拍几张照片，晚上再一起吃火锅。
这道菜的做法很简单，先把土豆切成丝，用清水泡十分钟，再下锅大火快炒，最后放盐和醋。
昨天的球赛踢得很精彩，上半场主队先进一球，下半场客队连追两球，最后点球决胜。
这款手机的屏幕很亮，电池也耐用，就是拍照的颜色偏黄，总的来说值得推荐。
春天来了，山上的花都开了，孩子们在草地上放风筝，老人坐在树下聊天下棋。
我觉得学英语最重要的是坚持，每天背二十个单词，听半个小时的广播，三个月就会有效果。""".split("\n")
ENGLISH = (
    "Thank you for the question, I will gladly help with that.",
    "The quick answer depends on many circumstances of the matter.",
    "Please see the attached summary for further details of the topic.",
)


def _random(view: CourtView) -> str:
    generator = random.Random(f"{view.case_id}/{view.role}/{view.step}")
    return "".join(chr(generator.randrange(0x4E00, 0x9F00)) for _ in range(40))


def _symbols(view: CourtView) -> str:
    generator = random.Random(f"{view.case_id}/{view.role}/{view.step}")
    return "".join(generator.choice("abcxyz0129#%&;qwk ") for _ in range(60))


KINDS: Mapping[str, Callable[[CourtView], str]] = {
    "characters": _random,
    "letters": _symbols,
    "unrelated": lambda view: UNRELATED[len(view.own) % len(UNRELATED)],
    "english": lambda view: ENGLISH[len(view.own) % len(ENGLISH)],
    "assents": lambda view: "好的，审判长。" if view.env in ("CI", "CR") else "好的，没问题。",
    "echo": lambda view: view.asked.text if view.asked else "",
    "silent": lambda view: "",
    "repeats": lambda view: "我方的情况材料里写得很清楚，请看材料就可以了。",
}


@dataclass(frozen=True)
class Broken:
    """Speaks like this in every turn."""

    kind: str

    def move(self, view: CourtView) -> Move:
        """The next utterance."""
        yield from ()
        return Say(KINDS[self.kind](view))
