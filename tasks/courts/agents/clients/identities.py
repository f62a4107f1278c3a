"""Who somebody is, read from free words: name, sex, ethnicity, birth, address, and what an organisation has.

Linear on bounded text; values are as they were said, days as 1979年4月12日.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from store.text.dates import parse_date, plain_date
from tasks.courts.agents.clients.asking import Client, Owner

_PEOPLES = (
    "汉|蒙古|回|藏|维吾尔|苗|彝|壮|布依|朝鲜|满|侗|瑶|白|土家|哈尼|哈萨克|傣|黎|傈僳|佤|畲|高山|拉祜|水|东乡|纳西|景颇|柯尔克孜|土|达斡尔|仫佬|羌|布朗|撒拉"
    "|毛南|仡佬|锡伯|阿昌|普米|塔吉克|怒|乌孜别克|俄罗斯|鄂温克|德昂|保安|裕固|京|塔塔尔|独龙|鄂伦春|赫哲|门巴|珞巴|基诺"
)
_ORGANISATION = (
    r"[\u4e00-\u9fffA-Za-z0-9()（）]{2,40}?(?:有限责任公司|股份有限公司|有限公司|分公司|公司|合作社|事务所|中心|医院|学校|幼儿园|厂|商行|经营部|超市|店|银行"
    r"|委员会|协会|基金会|集团)(?![\u4e00-\u9fff])"
)
_OTHER_WORDS: Mapping[Client, str] = {
    "plaintiff": r"对方|被告|[他她](?!们公司)",
    "defendant": r"对方|原告|[他她](?!们公司)",
}
_FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("name", re.compile(rf"(?:全称|名称|名字|公司|单位|店名)(?:是|叫|为|[:：])+(?P<v>{_ORGANISATION})")),
    ("name", re.compile(rf"^(?:我们?是?|我们?叫|对方是?|[是叫])?(?P<v>{_ORGANISATION})(?=[，,。；]|$)")),
    ("name", re.compile(r"(?:我|对方|本人|他|她|名字|姓名|原告|被告)(?:的?(?:名字|姓名))?(?:叫|是叫|名叫|[:：]|是(?=[\u4e00-\u9fff·]{2,4}[，,。]))+(?P<v>[\u4e00-\u9fff·]{2,8}?)(?=[，,。；;、\s]|$)")),
    ("name", re.compile(r"^(?:叫|是)?(?P<v>[\u4e00-\u9fff·]{2,4})(?=[，,、\s][^。]{0,12}(?:男|女|族|出生|岁|住))")),
    ("gender", re.compile(r"(?<![\u4e00-\u9fff])(?P<v>男|女)(?:性|的)?(?![\u4e00-\u9fff])|性别(?:是|为|[:：])?(?P<w>男|女)|[是为](?P<x>男|女)(?:性|的)")),
    ("ethnicity", re.compile(rf"(?P<v>(?:{_PEOPLES})族)")),
    ("birth_date", re.compile(r"(?P<v>\d{4}(?:年\d{1,2}月\d{1,2}[日号]|[-./]\d{1,2}[-./]\d{1,2}))[日号]?(?:出?生|的)?")),
    ("birth_date", re.compile(r"(?P<v>\d{4}年(?:\d{1,2}月)?)(?:份)?(?:出?生)")),
    ("address", re.compile(r"(?:住所地|注册地|经营地|住址|地址|家)(?:在|是|为|[:：])+(?P<v>[^，,。；;\n]{4,60})")),
    ("address", re.compile(r"(?:现?住(?:在|于)?|家在|位于)(?P<v>[^，,。；;\n]{5,60})")),
    ("address", re.compile(r"(?:^|[，,。；\s])(?P<v>[\u4e00-\u9fff]{2,9}(?:省|自治区|市)[\u4e00-\u9fff]{1,12}(?:市|区|县|旗|镇)[^，,。；;\n]{2,48})")),
    ("contact", re.compile(r"(?:联系方式|联系电话|电话(?:号码)?|手机(?:号码?)?)(?:是|为|[:：])+(?P<v>[^，,。；;\n]{3,30})")),
    ("contact", re.compile(r"(?<!\d)(?P<v>1[3-9]\d{9})(?!\d)")),
    ("representative", re.compile(r"(?P<head>法定代表人|负责人|法人代表|法人)(?:的?姓名)?(?:是|叫|为|[:：])+(?P<v>[\u4e00-\u9fff·]{2,4}?)(?=[，,。；;、\s]|$)")),
    ("representative_title", re.compile(r"(?:职务|担任)(?:是|为|[:：])?(?P<v>[\u4e00-\u9fff]{2,10}?)(?=[，,。；;、\s]|$)")),
    ("occupation", re.compile(r"职业(?:是|为|[:：])+(?P<v>[^，,。；;\n]{2,24})")),
    ("workplace", re.compile(r"(?:工作单位|单位)(?:是|在|为|[:：])+(?P<v>[^，,。；;\n]{3,40})|在(?P<w>[^，,。；;\n]{3,30}?)(?:上班|工作)")),
)  # fmt: skip
_UNKNOWN = re.compile(r"不清楚|不知道|不方便|没有|不记得|保密")


def identity_in(text: str, client: Client, asked: Sequence[Owner]) -> dict[Owner, dict[str, str]]:
    """Fields of both sides that an answer states.

    Args:
        text: of the client, in half-width forms.
        client: which side it is.
        asked: whose identity the question asked for; without any, only what is said outright counts.
    """
    found: dict[Owner, dict[str, str]] = {"own": {}, "other": {}}
    other = re.compile(_OTHER_WORDS[client])
    last: Owner = asked[0] if asked else "own"
    for part in _parts(text, client):
        owner: Owner = last
        if len(set(asked)) != 1 or other.search(part[:12]):
            owner = "other" if other.search(part[:12]) else "own" if re.search(r"我|本人", part[:12]) else last
        last = owner
        for name, value in _fields(part, bool(asked)).items():
            found[owner].setdefault(name, value)
    return found


def _parts(text: str, client: Client) -> list[str]:
    """Sentences, cut again where the other side begins."""
    begins = r"(?=(?:对方|被告|原告)(?:叫|全称|名称|是|姓名|性别|住|的))"
    pieces = [piece for sentence in re.split(r"[。！？!?；;\n]", text) for piece in re.split(begins, sentence)]
    return [
        re.sub(r"^(?:[\s，,]|呃|嗯|唉|这个[，,]|好的[，,])+", "", piece).strip() for piece in pieces if piece.strip()
    ]


def _fields(part: str, asked: bool) -> dict[str, str]:
    said: dict[str, str] = {}
    if not asked and not re.search(r"叫|全称|姓名|出生|住在|住所地|法定代表人|联系方式", part):
        return said
    for name, pattern in _FIELDS:
        match = pattern.search(part) if name not in said else None
        value = (
            next((match[key] for key in ("v", "w", "x") if key in match.groupdict() and match[key]), "")
            if match
            else ""
        )
        if value and not _UNKNOWN.search(value):
            said[name] = plain_date(parse_date(value)) or value if name == "birth_date" else value.strip()
            if name == "representative" and match and match["head"] == "负责人":
                said["head"] = "负责人"
    return said
