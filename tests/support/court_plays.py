"""Stand-ins for everybody in a court, who say what a test gives them: four short plays on cases of the sample pack.

A role says its lines in their order and then the last one again. `@` and a sign before a line of the judge say to
whom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.desk.court.scene import EpisodeSnapshot, scene_of
from tasks.courts.agents import registry
from tasks.courts.casefile.case import Case
from tasks.courts.play.view import CourtView
from tasks.episode.events import Record
from tasks.episode.seats import Move, Say
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.review_fixture import build_cases

_TO = {
    "原": "plaintiff_lawyer",
    "被": "defendant_lawyer",
    "公": "procurator",
    "告": "defendant",
    "辩": "defence_lawyer",
}

CIVIL: Mapping[str, str] = {
    "clerk": "现在查明到庭情况。原告周映川的委托诉讼代理人宋知遥已到庭，被告罗成溪的委托诉讼代理人杜蘅已到庭。"
    "现在宣布法庭纪律。",
    "judge": """@原 现在开庭。首先核对当事人身份，请原告方说明当事人及委托诉讼代理人的身份和代理权限。
@被 请被告方说明当事人及委托诉讼代理人的身份和代理权限。
望川省澜江市青禾区人民法院今天公开开庭审理原告周映川诉被告罗成溪民间借贷纠纷一案，适用简易程序，由审判员程思砚独任审判，书记员韩小满担任记录。当事人在诉讼中享有下列权利：申请回避；提供证据；进行辩论；请求调解；提起上诉。同时应当遵守诉讼秩序、履行生效裁判。
@原 原告，对审判员、书记员是否申请回避？
@被 被告，对审判员、书记员是否申请回避？
@原 现在进行法庭调查。请原告陈述诉讼请求以及事实和理由。
@被 请被告答辩。
@原 请原告就其主张出示证据，说明证据的名称、来源和证明目的。
@被 请被告对原告出示的证据发表质证意见。
@原 被告，请你答辩。
本院认为，判决如下：被告归还原告借款本金二十万元。现在闭庭。""",
    "plaintiff_lawyer": """原告周映川，男，汉族，1979年4月12日出生。委托诉讼代理人宋知遥，望川明衡律师事务所律师，特别授权。
不申请回避。
请求判令被告归还原告借款本金200000元，支付利息13500元和律师费8000元。2023年3月15日被告向原告借款20万元，约定借期一年，到期后多次催要未还。
出示证据一借条一张，原告持有原件，证明双方成立借款合同；证据二银行转账电子回单，证明原告交付借款20万元。
我方坚持诉讼请求。""",
    "defendant_lawyer": """被告罗成溪，男，汉族，1981年11月3日出生。委托诉讼代理人杜蘅，澜江行止律师事务所律师，一般授权。
不申请回避。
不同意原告的全部诉讼请求。借款属实，但被告已于2024年1月15日归还3万元，本金应当相应扣减；律师费没有约定，不应由被告负担。
对证据一借条一张、证据二银行转账电子回单的真实性、合法性、关联性均无异议。
没有补充。""",
}
CRIMINAL: Mapping[str, str] = {
    "clerk": "现在查明到庭情况。公诉人、辩护人已到庭，被告人邵远舟已到庭。现在宣读法庭规则。报告独任审判员，"
    "庭前准备工作就绪。",
    "judge": """@告 现在开庭。被告人，说明你的姓名、出生日期、民族、出生地、文化程度、职业和住址。
@告 你是否受过刑事处罚、行政处罚或者处分？
@告 被告人是否申请回避？
@公 现在开始法庭调查。请公诉人宣读起诉书。
@告 被告人对起诉书指控的犯罪事实和罪名有无异议？
@公 请公诉人出示证据，说明证据的名称、来源和拟证明的事实。
@告 审判长讯问被告人：你为什么拿别人的手机？
本院认为，被告人邵远舟犯盗窃罪，判决如下：判处有期徒刑八个月。现在闭庭。""",
    "defendant": """邵远舟，1996年2月9日出生，汉族，出生在望川省云栖县，初中文化，无固定职业，住云栖县梨坪镇上河村7组15号。
2021年因为盗窃被行政拘留过十日。
不申请回避。
没有异议，我认罪。
当时欠了两个月房租，一时糊涂，现在很后悔。""",
    "procurator": """被告人邵远舟于2024年5月18日撬门进入手机店，窃得手机四部，应当以盗窃罪追究其刑事责任。
出示店内监控录像，由公安机关依法调取，证明盗窃经过。""",
    "defence_lawyer": "对上述证据没有异议。",
}
DRAFTING: Mapping[str, str] = {
    "plaintiff_lawyer": """请说一下您的姓名、性别、民族、出生日期和住址。
对方是谁？您知道他的身份信息吗？
您想请求法院判什么？事情的经过是怎样的，有哪些证据？
民事起诉状

原告：周映川，男，汉族，1979年4月12日出生，住望川省澜江市青禾区柳荫街26号3幢502室。
被告：罗成溪，男，汉族，住望川省澜江市青禾区石桥路9号1幢301室。

诉讼请求：
1. 判令被告归还原告借款本金200000元；
2. 判令被告支付利息13500元。

事实和理由：
2023年3月15日，被告因装修面馆向原告借款20万元，约定借期一年，年利率9%。到期后原告多次催要，被告至今未还。

证据和证据来源，证人姓名和住所：
1. 借条一张，原告持有的原件。

此致
望川省澜江市青禾区人民法院
询问结束""",
    "plaintiff": """我叫周映川，男，汉族，1979年4月12日出生，住望川省澜江市青禾区柳荫街26号3幢502室。
借钱的人叫罗成溪，男，汉族，住望川省澜江市青禾区石桥路9号1幢301室。
我要他还本金200000元和利息13500元。2023年3月15日他因装修面馆借了20万元，有借条一张，说好一年还。""",
}
ADVICE: Mapping[str, str] = {
    "client": """房东把房子卖了，新房东让我月底前搬走，我该怎么办？
房子已经卖给别人了，我和原房东的租赁合同还有效吗？
漏水是我自己花钱修的，这1800元该由谁出，依据是《民法典》哪一条？
房东卖房之前没有通知我，我能不能要求法院认定他和买家的买卖合同无效？
谢谢您。""",
    "trainee": """您先别急，请把租房合同和经过说一说。
租赁合同继续有效。买卖不破租赁，依据《民法典》第七百二十五条。
维修费由出租人负担，依据《民法典》第七百一十三条。
不能。侵害优先购买权不影响买卖合同的效力。
可以请求赔偿损失。""",
}
PLAYS = {"CI": CIVIL, "CR": CRIMINAL, "CD": DRAFTING, "LC": ADVICE}


class Recited:
    """Says the lines of its role."""

    def move(self, view: CourtView) -> Move:
        """The next line."""
        yield from ()
        text = PLAYS[view.env][view.role]
        lines = _documents(text) if view.role == "plaintiff_lawyer" and view.env == "CD" else text.split("\n")
        said = sum(turn.number > 0 or view.role == "clerk" for turn in view.own)
        line = lines[min(said, len(lines) - 1)]
        if line.startswith("@"):
            sign, _, words = line[1:].partition(" ")
            return Say(words, tuple(_TO[one] for one in sign), routed="field")
        return Say(line, view.there if view.env not in ("CI", "CR") else (), routed="field")


def _documents(text: str) -> list[str]:
    questions, mark, document = text.partition("\n民事起诉状")
    return [*questions.split("\n"), mark.strip() + document]


def install(monkeypatch: Any) -> None:
    """Let everybody but people and models recite, for one test."""
    load = registry.loaded

    def recited(where: str) -> Any:
        return load(where) if where.startswith("tasks.courts.agents.references:") else lambda *_: Recited()

    monkeypatch.setattr(registry, "loaded", recited)


CASES = ("LC-0001", "CD-0001", "CI-0001", "CR-0001")


def build_pack(name: str = "plays", cases: Sequence[str] = CASES) -> Path:
    """A pack that holds these cases of the sample and nothing else."""
    return build_cases(name, cases)


@dataclass(frozen=True)
class Played:
    """An episode as it is stored, its case and the header of its run."""

    path: Path
    pack: Path
    header: dict[str, Any]
    records: list[Record]
    case: Case

    def scene(self, upto: int | None = None, **options: Any) -> EpisodeSnapshot:
        """The scene at a step."""
        kept = [record for record in self.records if upto is None or record.step <= upto]
        scene = scene_of(self.header, kept, self.case, **options)
        assert scene is not None
        return scene


def play(out: Path, pack: Path, **options: Any) -> dict[str, Played]:
    """All plays to their ends, by case."""
    spec = RunSpec(benchmark="courts", pack=str(pack), **options)
    with start_run(spec, out=out) as run:
        run.go()
        run.record_scores()
        header = dict(run.journal.header)
        cases = {question.id: question.case for question in run.questions}
        states = {name: driver.state for name, driver in run.scheduler.episodes.items()}
    return {
        name: Played(out, pack, header, list(state.records), cases[state.task_id]) for name, state in states.items()
    }
