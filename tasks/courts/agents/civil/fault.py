"""Whose fault a tort was, and what share of the damage the defendant bears for it.

民法典第一千一百七十二条、第一千一百七十三条、第一千一百九十二条、第一千二百一十七条; 道路交通安全法第七十六条. The table is data/civil_points.toml.
"""

from __future__ import annotations

import re

from tasks.courts.agents.civil.case import Case
from tasks.courts.agents.civil.weighing import points


def liability(case: Case) -> tuple[float, str]:
    """The share of a tort that the defendant bears, and why; 1 where nothing lessens it."""
    table = points()["liability"]
    if not re.search(table["causes"], case.cause):
        return 1.0, ""
    if labour := _labour(case):
        return labour
    share, why = 1.0, []
    name = re.escape(case.names["defendant"] or "被告")
    for entry in points()["shares"]:
        if re.search(
            rf"(?:被告|{name})[^；。]{{0,40}}?(?<![无])(?:负|承担)(?:事故)?(?:的)?{entry['words']}", case.shown
        ):
            share, why = entry["share"], [f"被告负{entry['words']}"]
            if (more := points()["unequal"]["shares"].get(entry["words"])) and _on_foot(case):
                share, why = (
                    more,
                    [f"被告负{entry['words']}，原告系非机动车、行人一方而有过错，应当减轻机动车一方的责任"],
                )
            break
    pleaded = "\n".join(point.text for point in case.points)
    if not why and re.search(r"过错|先动手|防卫", pleaded):
        plaintiff = re.escape(case.names["plaintiff"] or "原告")
        if re.search(rf"(?:原告|{plaintiff})[^；。]{{0,16}}{table['own_fault']}", case.shown):
            share, why = table["own_fault_share"], ["原告对损害的发生也有过错，应当减轻被告的责任"]
    if re.search(table["guest"], pleaded):
        share, why = (
            share * table["guest_share"],
            [*why, "被告系无偿搭乘，没有证据证明其有故意或者重大过失，酌情减轻20%"],
        )
    return share, "，".join(why)


def _on_foot(case: Case) -> bool:
    """Whether the plaintiff rode no motor vehicle, where the defendant drove one."""
    told = f"{case.shown}{''.join(case.trial.story)}"
    name = re.escape(case.names["plaintiff"] or "原告")
    return "机动车交通" in case.cause and bool(re.search(f"(?:原告|{name}){points()['unequal']['plaintiff']}", told))


def _labour(case: Case) -> tuple[float, str] | None:
    """Who was hurt at work for a private person: each side by what it was found to have failed in."""
    table = points()["labour_faults"]
    if not re.search(table["causes"], case.cause):
        return None
    theirs = [
        one for one in case.standing if one.offer.side == "plaintiff" and re.search(table["theirs"], one.offer.says)
    ]
    own = [one for one in case.standing if one.offer.side == "defendant" and re.search(table["own"], one.offer.says)]
    if not own:
        return 1.0, ""
    mine = f"，{own[0].offer.title}证明原告未尽自身安全的注意义务，也有过错"
    if not theirs:
        return table["own_only"], f"现有证据不能证明被告有过错{mine}"
    return table["both"], f"{theirs[0].offer.title}证明被告没有提供安全的工具和防护，是事故的主要原因{mine}"
