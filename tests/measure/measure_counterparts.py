"""Counterparts of articles that the Civil Code replaced, derived from headings, beside pairs that a person wrote
down.

The pairs are numbers alone, written from knowledge of both laws without looking at what is derived. `10:469` is one
article, `25-31:483` seven in a row (25 became 483, 26 became 484 …), `52:144,146` one that several followed: any of
them counts.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

from store.pack import Pack
from store.statutes.book import StatuteBook
from store.statutes.model import ArticleNumber

PAIRS = {
    "合同法": "8:465,119 10:469 11:469 12-15:470 16:474,137 17-18:475 19:476 20-21:478 22-24:480 25-31:483 32:490 "
    "33:491"
    " 34:492 35:493 36:490 37:490 39-41:496 42:500 43:501 44:502 45:158,159 46:160 47:145 48:171 49:172 50:504"
    " 52:144,146,153,154 53:506 54:147,148,149,150,151 55:152 56:155,156 57:507 58:157 60-62:509 63:513 64:522 "
    "65:523 66:525"
    " 67-72:526 73:535 74:538,539,540 75:541 76:532 77-82:543 83:549,548 84:551 85:553 86:554 88:555 89:556 91:557 "
    "92:558"
    " 93-97:562 98-101:567 102-106:572 107-110:577 111:582 112:583 113:584 114:585 115:586,587 116:588 117:590,180 "
    "118:590"
    " 119-121:591 122:186 130-132:595 134:641 135-139:598 141-155:603 156-158:619 159-171:626 174-187:646 188:660 "
    "189:660"
    " 190-195:661 196:667 197:668 199-203:669 205-211:674 212:703 213:704 214:705 215-224:707 225-228:720 229:725 "
    "230:726"
    " 231-237:729 251-254:770 269:788 286:807 288:809 365:888 396:919 410:933 414:951 424:961",
    "婚姻法": "6:1047 7:1048 8:1049 10:1051 11:1052 12:1054 17:1062 18:1063 19:1065 21:1067 24:1061,1070 25:1071 "
    "27:1072"
    " 28:1074 29:1075 31:1076 32:1079 33-42:1081 46:1091 47:1092",
    "继承法": "2:1121 3:1122 5:1123 7:1125 10-14:1127 16:1133 17:1134,1135,1136,1137,1138,1139 18-20:1140 21:1144 "
    "25:1124"
    " 26-31:1153 32-34:1160",
    "物权法": "9:209 10:210 14:214 15:215 20:221 23:224 28:229 39:240 70:271 76:278 93:297 97:301 106:311 107:312 "
    "109:314"
    " 117:323 125:331 135:344 152:362 156:372 170:386 176:392 179:394 184:399 187:402 191:406 208:425 230:447 "
    "241:458 245:462",
    "担保法": "6:681 17:687 18:688 19:686 33:394 37:399 63:425 82:447 89:586 90:586,587",
    "民法总则": "1-8:1 10:10 17-20:17 27:27 57:57 111:111 119:119 143-153:143 171:171 185:185 188:188",
    "民法通则": "55:143 58:144,146,153,154 63:161 66:171 84:118 117:1165,238,235 119:1179 123:1240 126:1253 127:1245"
    " 133:1188 135:188",
}  # fmt: skip
AFTER = date(2024, 1, 1)


def _known(text: str) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for pair in text.split():
        old, _, new = pair.partition(":")
        first, _, last = old.partition("-")
        for place, number in enumerate(range(int(first), int(last or first) + 1)):
            found[number] = {int(one) + place for one in new.split(",")}
    return found


def test_the_civil_code_and_the_laws_before_it(published_statutes: Path) -> None:
    told: Counter[tuple[str, bool]] = Counter()
    with Pack.open(published_statutes) as pack:
        counterparts = StatuteBook(pack).counterparts
        for law, text in PAIRS.items():
            for number, wanted in _known(text).items():
                found = counterparts.of(law, ArticleNumber(number), AFTER)
                told[found.sure if found else "none", bool(found and found.number.number in wanted)] += 1
    print(dict(told))
    assert sum(told.values()) == 360
    assert told["likely", True] >= 0.97 * (told["likely", True] + told["likely", False])
    assert told["likely", True] >= 230 and told["possible", True] > told["possible", False]
