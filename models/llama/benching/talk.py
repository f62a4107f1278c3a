"""The hearing that benchmarks play: seats with a card each and one shared record that only grows.

Every seat sees its own card first, then the record: what others said as messages of the user, its own words as its
own. Lines that others said in a row are one message, because many templates want the roles to alternate.
"""

from __future__ import annotations

from collections.abc import Sequence

from models.engine import Message

OPENING = (
    "【书记员】请全体起立。现在开庭，审理原告江某诉被告云桥置业有限公司买卖合同纠纷一案，双方到庭，各方依次发言。"
)
"""First line of every record. The case is made up."""
SILENCE = "（沉默）"
CARDS: dict[str, str] = {
    "审判长": "你是本案审判长，居中裁判，主持法庭调查和辩论。先核对双方陈述是否一致，再归纳争议焦点：合同是否有效、"
    "货款是否已经付清、逾期交付应当承担何种责任。对没有证据的说法要当庭追问，不替任何一方补充主张。"
    "每次发言不超过三句。",
    "原告代理人": "你是原告江某的诉讼代理人。原告主张：双方签订买卖合同后，原告已付清全部价款，"
    "被告逾期九十二日仍未交付。"
    "请求判令被告继续履行合同，并按约定支付违约金。手中证据有合同原件、转账回单和两份催告函。每次发言不超过三句。",
    "被告代理人": "你是被告云桥置业有限公司的诉讼代理人。被告认为：原告最后一笔款项迟付十五日，被告有权顺延交付；"
    "约定的违约金过分高于损失，请求法庭适当减少。手中证据有收款记录、顺延通知和验收单。每次发言不超过三句。",
    "证人": "你是本案证人，原告公司的仓库保管员，只就亲眼所见作证：交付当日到场人员、货物数量和外观、谁在单据上签字。"
    "不知道的事项直接说不知道，不推测，不评论法律问题。每次发言不超过三句。",
    "鉴定人": "你是受法庭委托的鉴定人，只说明鉴定过程和结论：送检材料的来源、所用标准、结论的依据和限度。"
    "对法律责任如何划分不发表意见。每次发言不超过三句。",
    "第三人": "你是本案第三人北岸物流有限公司的代表。你方只负责运输，交接时货物完好，有签收记录为证，"
    "不应承担任何责任。"
    "请求法庭查明交接环节的事实。每次发言不超过三句。",
}
"""Seat -> its card: who it is and what it wants. Seats speak in this order."""

_FACTS = (
    "原告与被告签订买卖合同，约定价款三百八十七万元，分三期支付，逾期交付按日支付万分之五的违约金。",
    "被告出具收款收据两份，载明款项用途为合同价款，经办人签名并加盖公司财务专用章。",
    "原告先后两次发出催告函，要求被告在收到之日起十五日内交付，被告签收后未作书面答复。",
    "法庭组织双方对转账回单进行质证，被告对真实性没有异议，对证明目的不予认可。",
    "鉴定意见认为送检印文与备案印文一致，形成时间无法判断，双方均未申请重新鉴定。",
    "证人陈述交付当日有五人到场，货物外观完好，签收单由仓库保管员填写，数量以过磅单为准。",
    "合议庭经评议认为，当事人应当按照约定全面履行自己的义务，约定不明确的可以协议补充。",
)


def seats(number: int) -> tuple[str, ...]:
    """The first so many seats of the hearing."""
    return tuple(CARDS)[:number]


def prompt(seat: str, record: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
    """What a seat is asked with; `record` holds (seat, words) of everything said so far."""
    messages = [Message("system", CARDS[seat])]
    heard = [OPENING]
    for speaker, words in record:
        if speaker != seat:
            heard.append(f"【{speaker}】{words.strip() or SILENCE}")
            continue
        messages += [Message("user", "\n".join(heard)), Message("assistant", words)]
        heard = []
    messages.append(Message("user", "\n".join(heard) if heard else "请继续发言。"))
    return tuple(messages)


def reading(number: int, sentences: int) -> tuple[Message, ...]:
    """A prompt of so many sentences that shares no beginning with a prompt of another number."""
    facts = "".join(_FACTS[(number + at) % len(_FACTS)] for at in range(sentences))
    return (
        Message("system", f"{number}号卷。请阅读案卷。"),
        Message("user", f"{facts}请逐条复述案卷内容，不要遗漏。"),
    )


def counting(number: int) -> tuple[Message, ...]:
    """A short prompt that a chat model answers at length; prompts of different numbers share no beginning."""
    return (Message("system", f"{number}号卷。"), Message("user", "请从一数到一千，用顿号隔开，逐个写出，不要省略。"))
