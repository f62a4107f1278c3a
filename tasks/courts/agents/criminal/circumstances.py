"""The circumstances of sentencing that a court finds, from what was said and shown: each with its articles and its weight.

A circumstance is found where the prosecution grants it, or where the defence claims it and something shown in court bears it
out; what the prosecution denies the evidence must bear. Weights are percent of the starting term (最高人民法院量刑指导意见).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from tasks.courts.agents.criminal.agenda import denies
from tasks.courts.agents.criminal.asking import filled
from tasks.courts.agents.criminal.facts import calendar_days, charged_facts, days, main_sum, sums
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.agents.criminal.law import PROCEDURE_LAW, Cited, cite, interpretation
from tasks.courts.agents.criminal.weighing import Weighing
from tasks.legalsearch.charges import canonical

_NOT = re.compile(r"(?:不|未|没有|并非|无|不能)[^，。；]{0,6}$")
_SURRENDERS = re.compile(
    r"主动(?:报警|投案|到案|拨打)|自动投案|投案自首|(?:电话|口头)(?:通知|传唤)[^。；]{0,24}(?:到案|到所|到庭|自行|即自)|自行到(?:案|所|公安)|报警[^。；]{0,16}(?:等候|留在)"
    r"|自己拨打110|报警称|拨打[^。；]{0,10}(?:110|120|122)|报警[^。；]{0,8}等候"
)
_OTHERS = re.compile(r"(?:被害人|失主|群众|路人|证人|他人|店员|店主|亲属|妻子?|丈夫|对方)[^，。；]{0,8}$")
"""Before a call to the police: somebody else has made it."""
_OWNED_UP = re.compile(r"主动(?:交代|供述|供认)[^。；]{0,16}(?:尚未|未)掌握|形迹可疑[^。；]{0,40}主动(?:交代|供述|供认)")
"""自首 of who is questioned on suspicion alone (关于处理自首和立功具体应用法律若干问题的解释第一条)."""
_CAUGHT = re.compile(r"抓获|当场查获|被[^。；]{0,6}查获|传唤到案")
_ADMITS = re.compile(
    r"(?:捅|打|刺|砍|收|撞|卖|拿|推|转|拿)[^，。；]{0,14}(?:是事实|属实|都?认|我?承认)|事实(?:我)?(?:都|是)?(?:认|承认|属实)|(?:我)?(?:认|承认)[^，。；]{0,6}(?:动手|捅|打了|收了|拿了|撞)|账也做了假"
)
"""The accused owns what he did, whatever he calls it."""
_CAME_GRANTED = re.compile(r"(?:视为|属于?|系)自动投案")
_CANDID = re.compile(r"如实供述|如实交代|如实供认|供认不讳")
_UNTRUE = re.compile(r"(?:未|没有|不)如实|拒不(?:供认|认罪)|不属于如实供述")
_DENIES = re.compile(r"没有(?:动手|打|踢|卖|骗|偷|碰|拿|做|干|参与|实施)|没[卖打骗偷拿做干]|冤枉|不是我|与我无关|不知道这")
_PAID = re.compile(r"赔偿|退赔|退缴|缴存|补偿|垫付|退还")
_UNPAID = re.compile(r"[^，。；]*(?:未能?|没有|尚未|不能|不予|拒不|无力)[^，。；]{0,6}(?:赔偿|退赔|退缴|补偿)[^，。；]*|[^，。；]*(?:要求|诉请|请求)[^，。；]{0,8}赔偿[^，。；]*")
"""Clauses that say that nothing was paid."""
_RETURNS = re.compile(r"(?:赔偿|退赔|退缴|退还|垫付)[^，。；]{0,12}元|(?:已|积极|部分)[^，。；]{0,6}(?:赔偿|退赔|退缴|退还)")
_FORGIVEN = re.compile(r"谅解")
_UNFORGIVEN = re.compile(r"(?:不|未|没有|尚未)(?:表示|获得|取得|得到)?谅解")
_PART = re.compile(r"部分|一人|一名|余款|其中")
_LESS = re.compile(r"从轻|从宽|减轻|酌情|具有|考虑")
_NO_LESS = re.compile(r"不调整|不影响|不予考虑")
_DUTY = re.compile(r"履行?[^。；]{0,6}法定义务|虽是法定义务|系法定义务")
_QUOTED = re.compile(r"“[^”]*”|关于[^。；，]{0,60}(?:的?意见)?[，：]")
"""What a prosecutor repeats of the other side in the debate."""
_CONCEDES = re.compile(r"认可|同意|予以认定|调整")
_KEEPS = re.compile(r"不(?:予|能|应)?(?:认可|同意|认定|调整)")
_JOINT = re.compile(r"伙同|纠集|邀约|结伙|合伙|共谋|合谋|受雇|雇[佣用]被告人|另案处理|同案|共同(?:犯罪|实施|对)")
_LEADS = re.compile(r"组织|指挥|纠集|策划|指使|主犯|主要作用")
_HEAVIER = re.compile(r"(?P<what>[^。；]+?)，?(?:应当|依法|可以)?(?:酌情|依法)?(?:予以)?从重处罚")
_CONSIDER = re.compile(r"(?P<what>[^。；]+?)，(?:量刑时)?(?:应当)?酌情考虑")
_KNOWN_HEAVY = re.compile(r"累犯|从犯|自首|赔偿|谅解|债务|过错|从轻|从宽")
_RELEASED = re.compile(r"(\d{4}年\d{1,2}月\d{1,2}日)(?:刑满释放|被?释放|执行完毕)")
_CARELESS = re.compile(r"过失|交通肇事|失火|责任事故|危险作业|玩忽职守")
_TAKING = ("盗窃", "诈骗", "抢劫", "抢夺", "敲诈勒索", "职务侵占", "合同诈骗", "信用卡诈骗")
_VICTIM = re.compile(r"被害人([\u4e00-\u9fff×]{2,4}?)(?=[的，、。；]|现金|人民币|钱|手机|财物|放|停|共|\d)")
_BACK = re.compile(r"赔偿|退赔|退缴|退还|退赃|归还|发还|追回|返还|还清")
_ASSESSED = re.compile(r"社区矫正[^。；]{0,20}(?:同意|适宜|接收)|没有再犯罪的危险|同意接收|适宜社区矫正|符合社区矫正")


@dataclass(frozen=True, slots=True)
class Circumstance:
    """One that is found. granted: the prosecution took it into account. weight 0: said without changing the term."""

    id: str
    text: str
    weight: int = 0
    articles: tuple[Cited, ...] = ()
    first: bool = False
    lenient: bool = False
    granted: bool = True
    name: str = ""


@cache
def words() -> Mapping[str, Any]:
    """The table of circumstances and phrases."""
    return tomllib.loads(files(__package__).joinpath("judgment.toml").read_text(encoding="utf-8"))


class Circumstances:
    """What weighs for and against the accused."""

    def __init__(self, weighing: Weighing) -> None:
        heard: Heard = weighing.heard
        self.heard, self.weighing = heard, weighing
        self.name = heard.name
        answered = re.split(r"(?<=[。；])", _QUOTED.sub("", heard.answers("procurator", "mutual")))
        debated = "".join(part for part in answered if _CONCEDES.search(part) and not _KEEPS.search(part))
        self.accusing = "\n".join(filter(None, (charged_facts(heard), heard.answers("procurator", "indictment", "opinion"), debated)))
        self.facts = charged_facts(heard)
        self.defending = heard.answers("defence_lawyer", "opinion", "mutual")
        self.told = heard.answers("defendant", "question", "statement", "self_defence", "last")
        relied = [one.exhibit for one in weighing.admitted if one.result != "不采信"]
        self.shown = "\n".join(one.offer.body for one in relied) + "\n" + heard.answers("procurator", "detail")
        self.own = [one for one in relied if one.owner != "procurator"]

    @cached_property
    def found(self) -> tuple[Circumstance, ...]:
        """All of them, in the order in which a judgment speaks of them."""
        return tuple(
            one
            for made in (
                self._age, self._roles, self._surrender, self._plea, self._table, self._payment, self._record, self._heavier,
            )
            for one in made()
        )  # fmt: skip

    def has(self, identity: str) -> bool:
        """Whether a circumstance is found."""
        return any(one.id == identity for one in self.found)

    def _text(self, key: str, **values: object) -> str:
        return filled(words()["reason"][key], {"name": self.name, **values})

    @staticmethod
    def _says(text: str, pattern: str) -> bool:
        """Whether a text says something without taking it back in the same clause."""
        return any(not _NOT.search(text[: match.start()]) for match in re.finditer(pattern, text))

    def _granted(self, pattern: re.Pattern[str]) -> bool:
        """Whether the prosecution took something into account for the accused."""
        parts = [part for part in re.split(r"[。；]", self.accusing) if pattern.search(part)]
        return any(_LESS.search(part) for part in parts) and not any(_NO_LESS.search(part) for part in parts)

    # --- the person and the part played -------------------------------------------------------------------------------

    def _age(self) -> Iterator[Circumstance]:
        acted = calendar_days(self.facts)
        try:
            born = date.fromisoformat(str(self.heard.party.get("birth_date", "")))
        except ValueError:
            return
        if not acted:
            return
        years = acted[0].year - born.year - ((acted[0].month, acted[0].day) < (born.month, born.day))
        if years < 18:
            yield Circumstance("minor", self._text("minor"), -30, (cite("17.4"),), True, True)
        elif years >= 75:
            yield Circumstance("old", self._text("old"), -20, (cite("17-1"),), True, True)

    def _roles(self) -> Iterator[Circumstance]:
        """刑法第二十五条至第二十七条."""
        if not _JOINT.search(self.facts):
            return
        claims = self._says(self.defending + self.told, "从犯|次要作用")
        leads = [one for one, found in self.weighing.allegations if _LEADS.search(one.words) and not found.proven]
        granted = self._says(self.accusing, "(?:系|是|属于)?从犯")
        if granted or (claims and leads):
            text = self._text("accessory" if granted else "accessory_claimed")
            yield Circumstance("accessory", text, -30, (cite("25.1"), cite("27")), True, True, granted, "从犯")
        elif self._says(self.accusing, "主犯|主要作用|组织、指挥"):
            yield Circumstance("principal", self._text("principal"), 0, (cite("25.1"), cite("26.1"), cite("26.4")))
        elif claims:
            yield Circumstance("no_accessory", self._text("no_accessory"), 0, (cite("25.1"),))
        else:
            yield Circumstance("joint", self._text("joint"), 0, (cite("25.1"),))

    # --- conduct after the crime --------------------------------------------------------------------------------------

    @cached_property
    def candid(self) -> bool:
        """Whether the accused told of the crime as it is found: what he said before the trial does not belie the findings."""
        own = [one for one in self.heard.exhibits if self.weighing.own_word(one)]
        lost = {day for count, found in self.weighing.proved if found and not found.proven for day in count.days}
        parts = [part for one in own for part in re.split(r"[。；]", one.offer.body) if _DENIES.search(part)]
        if any(not set(days(part)) or set(days(part)) - lost for part in parts):
            return False
        open_points = [found for _, found in self.weighing.proved if found and found.proven]
        if open_points and denies(self.heard):
            return bool(_ADMITS.search(self.heard.answers("defendant", "plea"))) and not _UNTRUE.search(self.accusing)
        if _UNTRUE.search(self.accusing):
            doubted = self.weighing.taken_off or self.weighing.allegations
            return bool(own) and bool(doubted) and all(
                found.proven if isinstance(what, float) else not found.proven for what, found in doubted
            )  # fmt: skip
        if _CANDID.search(self.accusing) or self.pleads:
            return True
        return bool(own and self.weighing.convicted and not open_points)

    @cached_property
    def pleads(self) -> bool:
        """Whether the accused has pleaded guilty in court without reserve."""
        answered = self.heard.answered("defendant", "plea") or self.heard.answered("defendant", "fast")
        return answered and not denies(self.heard)

    def _surrender(self) -> Iterator[Circumstance]:
        """刑法第六十七条: 自首, 坦白, or why not."""
        claimed = self._says(self.defending + self.told, "自首")
        granted = self._says(self.accusing, "(?:系|构成|具有|属于|有)自首") or bool(
            _CAME_GRANTED.search(self.accusing) and _CANDID.search(self.accusing)
        )
        owned = bool(_OWNED_UP.search(self.facts + self.shown))
        came = owned or _came(self.facts + self.shown) or (claimed and _came(self.accusing))
        if granted or (came and self.candid and (claimed or owned or not _CAUGHT.search(self.facts))):
            text = self._text("surrender", ways=self._ways())
            if not granted:
                text += "；" + self._text("surrender_duty") if _DUTY.search(self.accusing + self.defending) else ""
                text += "；" + self._text("surrender_corrected")
            text += "；" + self._text("surrender_character") if denies(self.heard) else ""
            laws = (cite("67.1"), interpretation("自首 1")[0])
            yield Circumstance("surrender", text, -20, laws, granted=granted, name="自首")
            return
        if claimed:
            yield Circumstance(
                "no_surrender", self._text("no_surrender" if came else "no_surrender_caught", ways=self._ways())
            )
        elif not self.candid and not claimed and _UNTRUE.search(self.accusing):
            yield Circumstance("no_confession", self._text("no_confession"))
        if self.candid:
            yield Circumstance("confession", self._text("confession"), -10, (cite("67.3"),), name="坦白")

    def _ways(self) -> str:
        """How the accused came: 主动报警、在现场等候处理."""
        told = self.facts + self.shown + self.defending
        found = [way for cue, way in words()["ways"] if re.search(cue, told)]
        return "、".join(found[:2]) or "自动投案"

    def _plea(self) -> Iterator[Circumstance]:
        """刑事诉讼法第十五条."""
        if denies(self.heard):
            return
        if self.signed:
            yield Circumstance("plea", self._text("plea"), -10, (cite("15", PROCEDURE_LAW),))
        elif self.pleads and not self.candid:  # 当庭自愿认罪 is not counted beside 自首 and 坦白
            yield Circumstance("plea_court", self._text("plea_court"), -5)

    @cached_property
    def signed(self) -> bool:
        """Whether the accused has confirmed in court that he signed the 具结书 of his own will."""
        told = self.heard.answers("defendant", "signed")
        return bool(re.search(r"自愿|签了|是我签|属实|真实", told)) and not re.search(r"没有?签|未签|不是自愿|被逼|不真实", told)

    def _payment(self) -> Iterator[Circumstance]:
        """赔偿, 退赃, 谅解."""
        told = [one.offer.body for one in self.own if _PAID.search(one.offer.body) or _FORGIVEN.search(one.offer.body)]
        told += [part for part in re.split(r"[。]", _UNPAID.sub("", self.facts)) if _PAID.search(part)]
        debated = re.split(r"[。；]", self.heard.answers("procurator", "opinion"))
        told += [part for part in debated if _RETURNS.search(_UNPAID.sub("", part)) and _LESS.search(part)]
        text = "".join(told)
        if not _PAID.search(text):
            return
        forgiven = bool(_FORGIVEN.search(text)) and not _UNFORGIVEN.search(self.accusing)
        part = bool(_PART.search(text)) or bool(self.owed)
        weight = -8 if part else -20 if forgiven else -12
        granted = self._granted(_PAID)
        yield Circumstance("paid", self._text("paid", paid=self._paid_words(forgiven)), weight, granted=granted, name="赔偿谅解")

    def _paid_words(self, forgiven: bool) -> str:
        """What was paid, as an exhibit's purpose or the indictment puts it."""
        for one in self.own:
            match = re.search(r"拟证明([^。]+)", one.offer.body)
            if match and _PAID.search(match[1]) and "愿意" not in match[1]:
                who = "" if re.match(r"被告人|其|亲属|家属", match[1]) else f"被告人{self.name}"
                return who + re.sub(r"^已经?|(?<=属)已经?", "", match[1])
        kept = re.search(r"缴存(?:在本院的)?赔偿款[\d,.万]+元", self.shown)
        if kept:
            return f"被告人{self.name}{kept[0]}"
        for part in re.split(r"[。；]", _UNPAID.sub("", self.facts)):
            if match := re.search(r"(?:其[\u4e00-\u9fff]{1,3}|被告人[^，]{1,6}|其亲属|其家属)?(?:代为)?(?:赔偿|退赔|退缴)[^。；]*", part):
                return f"案发后，{match[0].rstrip('，')}".replace("，自愿认罪认罚", "")
        told = self.heard.answers("procurator", "property", "victims")
        if match := re.search(r"赔偿和谅解情况：(已[^，。；]{2,30}元)", told):
            return f"案发后，被告人{self.name}{match[1]}"
        return "案发后已经赔偿被害人的损失" + ("并取得谅解" if forgiven else "")

    @cached_property
    def owed(self) -> tuple[tuple[str, float], ...]:
        """Victims and what they have not got back, as the prosecution has said of those whose counts stand."""
        told = self.heard.answers("procurator", "property", "victims")
        failed = "".join(count.text for count, found in self.weighing.proved if found and not found.proven)
        owed = []
        pattern = r"被害人(?P<name>[^的，。；：]{2,24})的损失：(?P<loss>[^；。]*)(?:；[^：。]{0,10}：(?P<settled>[^。]*))?"
        for match in re.finditer(pattern, told):
            lost, settled = main_sum(match["loss"]), match["settled"] or ""
            back = max(sums(settled), default=0.0)
            lost -= sum(value for value, found in self.weighing.taken_off if found.proven and value + back < lost)
            if match["name"] in failed or not lost or "发还" in match["loss"] or "缴存" in settled:
                continue
            if "尚未退赔" in settled or 0 < back < lost:
                owed.append((match["name"], lost - back))
        if not told and (left := self._taken()):
            owed.append(left)
        return tuple(owed)

    def _taken(self) -> tuple[str, float] | None:
        """Whose property was taken and how much, where nothing was said of its return (刑法第六十四条)."""
        names = [name for name in self.weighing.convicted if canonical(name) in _TAKING]
        titles = " ".join(one.name for one in self.heard.exhibits)
        victims = list(dict.fromkeys(_VICTIM.findall(self.facts) or _VICTIM.findall(titles)))
        if len(names) != 1 or not victims or _BACK.search(self.facts + self.shown):
            return None
        amount = self.weighing.amount(names[0])
        return ("、".join(victims[:4]), amount) if amount else None

    # --- the table, record, what weighs against -----------------------------------------------------------------------

    def _table(self) -> Iterator[Circumstance]:
        for row in words()["circumstances"]:
            granted = self._says(self.accusing, row["said"])
            cue = row.get("cue", "")
            shown = bool(cue and re.search(cue, self.shown + self.facts))
            sure = bool(row.get("sure") and re.search(row["sure"], self.facts + self.shown))
            forced = row["id"] == "excess" and bool(self.weighing.repelled)
            if granted or sure or forced or (shown and self._says(self.defending, row["said"])):
                laws = tuple(cite(place) for place in row.get("law", ()))
                laws = (cite("20.1"), *laws) if forced else laws
                change = 0 if row["id"] == "fault" and self.weighing.repelled else row["change"]  # it is the ground of the defence
                known = [form for cue, form in row.get("variants", ()) if re.search(cue, self.facts + self.shown)]
                text = filled((*known, row["text"])[0], {"name": self.name})
                yield Circumstance(
                    row["id"], text, change, laws, row.get("first", False), row.get("lenient", False), granted, row["name"]
                )

    def _record(self) -> Iterator[Circumstance]:
        """刑法第六十五条: within five years after a term of 有期徒刑, for intentional crimes."""
        record = str(self.heard.view.held.get("criminal", {}).get("record", ""))
        if "判处" not in record:
            return
        released, acted = calendar_days("".join(_RELEASED.findall(record)[-1:])), calendar_days(self.facts)
        careless = all(_CARELESS.search(name) for name in self.weighing.convicted) and self.weighing.convicted
        if released and acted and "有期徒刑" in record and not careless and _within_five(released[0], acted[0]):
            day = f"于{released[0].year}年{released[0].month}月{released[0].day}日刑满释放，"
            yield Circumstance("recidivist", self._text("recidivist", released=day), 20, (cite("65.1"),))
        else:
            yield Circumstance("record", self._text("record"), 5)

    def _heavier(self) -> Iterator[Circumstance]:
        """What the prosecution says against the accused and nothing has refuted."""
        opinion = self.heard.answers("procurator", "opinion") or self.heard.answers("procurator", "indictment")
        for pattern, key, weight in ((_HEAVIER, "heavier", 10), (_CONSIDER, "considered", 5)):
            for match in pattern.finditer(opinion):
                what = re.sub(r"^(?:被告人)?[^，]{0,6}(?:系|是)主犯；?", "", match["what"].strip())
                what = re.sub(r"，(?:应当|依法)$", "", what).strip("，； ")
                if not what or _KNOWN_HEAVY.search(what) or len(what) > 60:
                    continue
                laws = (cite("238.1"),) if "殴打" in what and "非法拘禁罪" in self.weighing.convicted else ()
                what = re.sub(r"^(?:被告人|其)", f"被告人{self.name}", what.removeprefix(f"被告人{self.name}"), count=1)
                what = what if what.startswith("被告人") else f"被告人{self.name}{what}"
                yield Circumstance(key, self._text(key, what=what), weight, laws)

    # --- for 缓刑 and 单处罚金 -----------------------------------------------------------------------------------------

    @property
    def assessed(self) -> bool:
        """Whether an inquiry found the accused fit for 社区矫正."""
        return bool(_ASSESSED.search(self.shown + self.defending))

    @property
    def clean(self) -> bool:
        """Whether there is no earlier conviction."""
        return not self.has("recidivist") and not self.has("record")


def _came(text: str) -> bool:
    """Whether the accused came or called by himself."""
    return any(not _OTHERS.search(text[: match.start()]) for match in _SURRENDERS.finditer(text))


def _within_five(released: date, acted: date) -> bool:
    return released <= acted and (acted.year - released.year, acted.month, acted.day) <= (5, released.month, released.day)
