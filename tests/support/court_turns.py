"""Turns of judges, labelled by hand with the acts that a lawyer would say they did.

A label says what the turn with its replies accomplishes in its place, so a question put to the wrong side, in the
wrong stage or without an answer accomplishes nothing. Three rounds: the first was labelled before any pattern was
written; the second and third put the same acts in looser words and were labelled before the patterns met them. What
the patterns made of a round at first sight, precision and recall over all acts: 1.00 / 0.97, 0.67 / 0.52, 0.93 /
0.74; each round then corrected them. Read a perfect figure on these turns accordingly. Everybody here is invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tasks.courts.procedure.turns import Hearing, Item, Turn

Kind = Literal[
    "good", "missing", "bundled", "wrong_stage", "wrong_addressee", "agenda", "single_word", "no_answer", "quotation"
]

_CIVIL = (
    Item("E1", "plaintiff", "装饰装修施工合同", 1),
    Item("E2", "plaintiff", "银行转账回单", 2),
    Item("E3", "plaintiff", "墙面渗水现场照片", 3),
    Item("E4", "defendant", "工程竣工验收单", 1),
)
_CRIMINAL = (
    Item("K1", "procurator", "商场监控录像", 1),
    Item("K2", "procurator", "被害人冯某的陈述", 2, disputed=False),
    Item("K3", "procurator", "价格认定结论书", 3, disputed=False),
    Item("K4", "defence", "被害人出具的谅解书", 1, disputed=False),
)
_CIVIL_NAMES: Mapping[str, tuple[str, ...]] = {
    "plaintiff": ("周岚", "陈立言"),
    "defendant": ("江枫市启明装饰工程有限公司", "启明公司", "罗平", "何青"),
}
_CRIMINAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "procurator": ("姜文",),
    "accused": ("林海涛",),
    "defence": ("赵宁",),
}
_LAWYERS = frozenset({"represented", "mediable"})
HEARINGS: Mapping[str, Hearing] = {
    "civil": Hearing("CI", "普通程序", _CIVIL_NAMES, _CIVIL, _LAWYERS | {"collegial"}),
    "civil_summary": Hearing("CI", "简易程序", _CIVIL_NAMES, _CIVIL, _LAWYERS),
    "civil_small": Hearing("CI", "小额诉讼程序", _CIVIL_NAMES, _CIVIL, _LAWYERS),
    "divorce": Hearing("CI", "普通程序", _CIVIL_NAMES, _CIVIL, _LAWYERS | {"collegial", "divorce"}),
    "criminal": Hearing("CR", "普通程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"collegial"})),
    "plea": Hearing(
        "CR", "普通程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"collegial", "guilty_plea", "request", "property"})
    ),
    "criminal_summary": Hearing("CR", "简易程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"guilty_plea", "request"})),
    "fast": Hearing("CR", "速裁程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"guilty_plea", "request"})),
}
PLAINTIFF, DEFENDANT = ("plaintiff_lawyer",), ("defendant_lawyer",)
BOTH = ("plaintiff_lawyer", "defendant_lawyer")
PROCURATOR, ACCUSED, DEFENCE = ("procurator",), ("accused",), ("defence_lawyer",)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A judge turn in its place. `stage`: where the trial is; `done`: acts of that stage already done; `acts`: the
    label."""

    id: str
    kind: Kind
    case: str
    stage: str
    to: tuple[str, ...]
    text: str
    replies: tuple[tuple[str, str], ...]
    acts: frozenset[str]
    done: tuple[str, ...] = ()
    round: int = 1

    def turns(self) -> list[Turn]:
        """The judge's turn and the replies, all numbered 7 (a judge turn and its replies share a number)."""
        return [Turn(7, "judge", self.to, self.text)] + [
            Turn(7, speaker, ("judge",), text) for speaker, text in self.replies
        ]


def _t(
    identity: str,
    kind: Kind,
    case: str,
    stage: str,
    to: tuple[str, ...],
    text: str,
    replies: tuple[tuple[str, str], ...] | str,
    acts: str,
    done: str = "",
) -> Labelled:
    """A short way to write a row: one reply is by the one addressed, acts are words separated by blanks."""
    if isinstance(replies, str):
        replies = ((to[0], replies),) if replies and to else ()
    rounds = {"v": 2, "w": 3}
    return Labelled(
        identity,
        kind,
        case,
        stage,
        to,
        text,
        replies,
        frozenset(acts.split()),
        tuple(done.split()),
        rounds.get(identity[0], 1),
    )


OPEN, INQUIRY, DEBATE, MEDIATE, LAST, JUDGE = "开庭", "法庭调查", "法庭辩论", "法庭调解", "最后陈述", "评议宣判"

LABELLED: tuple[Labelled, ...] = (
    # --- civil, opening ---------------------------------------------------------------------------------------------
    _t("c01", "good", "civil", OPEN, PLAINTIFF,
        "现在核对当事人身份。请原告方说明当事人及委托诉讼代理人的基本情况和代理权限。",
       "原告周岚，女，汉族，1988年4月2日出生，住江枫市荷塘路12号。委托诉讼代理人陈立言，特别授权。",
       "identity/plaintiff"),
    _t("c02", "good", "civil", OPEN, DEFENDANT, "被告方，请报一下公司名称、住所地、法定代表人以及出庭人员的身份。",
       "被告江枫市启明装饰工程有限公司，住所地江枫市北环路8号，法定代表人罗平。代理人何青，一般授权。",
       "identity/defendant"),
    _t("c03", "good", "civil", OPEN, PLAINTIFF, "首先由本庭查明到庭当事人的基本信息，请原告先来。",
       "原告周岚，住江枫市荷塘路12号，代理人陈立言到庭。", "identity/plaintiff"),
    _t("c04", "missing", "civil", OPEN, PLAINTIFF, "原告，你方对起诉状上写的事情还有没有要补充的？", "没有补充。",
        ""),
    _t("c05", "good", "civil", OPEN, BOTH,
       "江枫市荷塘区人民法院今天依法公开开庭审理原告周岚与被告江枫市启明装饰工程有限公司装饰装修合同纠纷一案。", "",
       "cause public"),
    _t("c06", "good", "civil", OPEN, (),
       "本案由审判员沈秋担任审判长，与审判员白桥、人民陪审员庄敏组成合议庭，书记员柳叶担任法庭记录，"
       "适用普通程序审理。", "", "panel procedure"),
    _t("c07", "good", "civil_summary", OPEN, BOTH, "本案适用简易程序，由审判员沈秋独任审判，书记员柳叶担任记录。", "",
        "panel procedure"),
    _t("c08", "good", "civil", OPEN, BOTH,
       "当事人在诉讼中享有以下权利：申请回避、提供证据、进行辩论、请求调解、提起上诉；同时负有依法行使诉讼权利、"
       "遵守法庭秩序的义务。", "", "rights"),
    _t("c09", "good", "civil", OPEN, PLAINTIFF, "原告，刚才宣布的合议庭组成人员和书记员，你方是否申请回避？",
        "不申请回避。", "recusal/plaintiff"),
    _t("c10", "good", "civil", OPEN, DEFENDANT, "被告对合议庭成员、书记员要不要申请回避？", "不申请。",
        "recusal/defendant"),
    _t("c11", "good", "civil", OPEN, BOTH, "双方当事人是否听清？对审判人员有无回避申请？",
       (("plaintiff_lawyer", "听清了，不申请回避。"), ("defendant_lawyer", "听清，没有。")),
       "recusal/plaintiff recusal/defendant"),
    _t("c12", "no_answer", "civil", OPEN, DEFENDANT, "被告是否申请回避？",
        "我方认为原告的诉讼请求没有依据，应予驳回。", ""),
    _t("c13", "wrong_addressee", "civil", OPEN, PLAINTIFF, "被告，你方是否申请回避？", "我方不申请回避。", ""),
    _t("c14", "single_word", "civil", OPEN, PLAINTIFF, "回避制度是为了保障公正审判，请各方理解。", "好的，理解。",
        ""),
    _t("c15", "bundled", "civil", OPEN, PLAINTIFF,
       "请原告说明身份信息；是否申请回避；是否清楚缺席的法律后果；并陈述诉讼请求和事实理由。",
       "我是周岚的代理人陈立言，不申请回避，清楚，请求判令被告返还工程款六万元。",
       "identity/plaintiff recusal/plaintiff"),
    _t("c16", "agenda", "civil", OPEN, PLAINTIFF,
       "今天的庭审将依次进行：核实身份、告知诉讼权利、询问是否申请回避、法庭调查、举证质证、法庭辩论、"
       "最后陈述和调解。", "好的。", ""),
    _t("c17", "agenda", "civil", OPEN, BOTH, "稍后本庭会归纳争议焦点，然后请双方出示证据并相互质证，最后组织调解。",
       (("plaintiff_lawyer", "明白。"), ("defendant_lawyer", "明白。")), ""),
    _t("c18", "good", "civil", OPEN, PLAINTIFF,
        "原告，经传票传唤无正当理由拒不到庭或者未经法庭许可中途退庭的，可以按撤诉处理，你方是否清楚？",
       "清楚。", "default/plaintiff"),
    _t("c19", "good", "civil", OPEN, DEFENDANT,
        "被告如果无正当理由拒不到庭或中途退庭，法院可以缺席判决，听清楚没有？", "听清楚了。", "default/defendant"),
    _t("c20", "wrong_stage", "civil", DEBATE, PLAINTIFF, "原告，请说明你的身份情况。", "原告周岚，代理人陈立言。",
        ""),
    # --- civil, investigation ---------------------------------------------------------------------------------------
    _t("c21", "good", "civil", INQUIRY, PLAINTIFF, "现在进行法庭调查。先由原告陈述诉讼请求以及所依据的事实和理由。",
       "请求判令被告返还工程款六万元并赔偿损失一万元。2024年3月双方签订合同，被告施工后墙面渗水。",
       "claim/plaintiff"),
    _t("c22", "good", "civil", INQUIRY, DEFENDANT, "被告针对原告的诉讼请求和理由进行答辩。",
        "不同意原告的诉讼请求，工程已经验收合格。", "answer/defendant"),
    _t("c23", "good", "civil", INQUIRY, PLAINTIFF, "请原告宣读起诉状。",
        "请求：一、被告返还工程款六万元。事实与理由：被告施工质量不合格。", "claim/plaintiff"),
    _t("c24", "wrong_addressee", "civil", INQUIRY, DEFENDANT, "请原告陈述诉讼请求和事实理由。",
        "我方是被告，答辩意见如下：不同意。", ""),
    _t("c25", "single_word", "civil", INQUIRY, PLAINTIFF, "请原告陈述诉讼请求。", "请求返还工程款六万元及利息。",
        "claim/plaintiff"),
    _t("c26", "single_word", "civil", INQUIRY, PLAINTIFF, "你方主张被告构成违约，违约发生在哪一天？",
        "2024年6月中旬开始渗水。", "question/plaintiff"),
    _t("c27", "good", "civil", INQUIRY, PLAINTIFF,
       "根据双方诉辩意见，本庭归纳本案争议焦点为：一、工程质量是否不合格；二、被告是否应当返还工程款。"
       "原告对此有无异议或补充？",
       "没有异议，没有补充。", "issues/plaintiff", "claim/plaintiff answer/defendant"),
    _t("c28", "good", "civil", INQUIRY, DEFENDANT, "被告，对本庭归纳的争议焦点有什么意见？", "没有意见。",
        "issues/defendant",
       "claim/plaintiff answer/defendant"),
    _t("c29", "missing", "civil", INQUIRY, PLAINTIFF, "争议焦点就是钱该不该退，下面开始举证，原告出示证据。",
       "证据一：装饰装修施工合同，证明双方存在合同关系。", "exhibit/E1"),
    _t("c30", "good", "civil", INQUIRY, PLAINTIFF, "请原告出示第一份证据，说明证据名称、来源和证明目的。",
       "证据一，装饰装修施工合同原件，由双方签订，证明合同关系成立。", "exhibit/E1"),
    _t("c31", "good", "civil", INQUIRY, DEFENDANT, "被告对原告提交的该份证据的真实性、合法性、关联性发表质证意见。",
       "对真实性、合法性认可，对证明目的不认可。", "cross/E1/defendant", "exhibit/E1"),
    _t("c32", "good", "civil", INQUIRY, PLAINTIFF, "原告可以分组举证，请一并出示你方全部证据并说明证明目的。",
       "第一组：装饰装修施工合同、银行转账回单，证明合同关系和付款；第二组：墙面渗水现场照片，证明质量问题。",
       "exhibit/E1 exhibit/E2 exhibit/E3"),
    _t("c33", "good", "civil", INQUIRY, DEFENDANT, "请被告质证。",
        "对证据一、证据二三性无异议；证据三现场照片的真实性不认可，拍摄时间不明。",
       "cross/E1/defendant cross/E2/defendant cross/E3/defendant", "exhibit/E1 exhibit/E2 exhibit/E3"),
    _t("c34", "good", "civil", INQUIRY, DEFENDANT, "原告举证完毕。被告有无证据向法庭提交？请出示。",
        "有。出示工程竣工验收单，证明工程已经验收合格。", "exhibit/E4"),
    _t("c35", "good", "civil", INQUIRY, PLAINTIFF, "原告对被告的工程竣工验收单有什么质证意见？",
        "真实性没有异议，但验收时渗水尚未显现，不能证明质量合格。",
       "cross/E4/plaintiff", "exhibit/E4"),
    _t("c36", "missing", "civil", INQUIRY, DEFENDANT, "请被告对证据发表质证意见。", "没有异议。", ""),
    _t("c37", "wrong_addressee", "civil", INQUIRY, PLAINTIFF, "请对该证据进行质证。", "我方对自己的证据没有异议。",
        "", "exhibit/E1"),
    _t("c38", "no_answer", "civil", INQUIRY, PLAINTIFF, "请原告出示证据。", "我方要求被告尽快还钱，拖得太久了。", ""),
    _t("c39", "good", "civil", INQUIRY, PLAINTIFF, "法庭问一下原告：你方是什么时候第一次向被告反映渗水问题的？",
        "2024年6月20日，打的电话。", "question/plaintiff"),
    _t("c40", "good", "civil", INQUIRY, DEFENDANT, "被告，验收单上签字的张某是什么人？他有没有授权？",
        "他是我公司的项目经理，有授权。", "question/defendant"),
    _t("c41", "good", "civil", INQUIRY, BOTH,
       "对证据一、证据二，被告无异议，本院予以确认。证据三照片没有拍摄时间，又无其他证据印证，本院不予采信。"
       "证据四双方对真实性无异议，本院予以采信。", "",
       "admission",
       "exhibit/E1 exhibit/E2 exhibit/E3 exhibit/E4 cross/E1/defendant cross/E2/defendant cross/E3/defendant "
       "cross/E4/plaintiff"),
    _t("c42", "quotation", "civil", INQUIRY, PLAINTIFF,
       "《中华人民共和国民事诉讼法》第七十一条规定，证据应当在法庭上出示，并由当事人互相质证。这一点请原告注意。",
       "注意到了。", ""),
    _t("c43", "wrong_stage", "civil", OPEN, PLAINTIFF, "请原告围绕争议焦点发表辩论意见。",
        "我方认为被告构成违约，应当返还工程款。", ""),
    # --- civil, debate, mediation, judgment -------------------------------------------------------------------------
    _t("c44", "good", "civil", DEBATE, PLAINTIFF, "法庭调查结束，现在进行法庭辩论。首先由原告发表辩论意见。",
       "被告交付的工程渗水，构成违约，应当返还工程款并赔偿损失。", "debate/plaintiff"),
    _t("c45", "good", "civil", DEBATE, DEFENDANT, "下面由被告围绕争议焦点发表辩论意见。",
        "工程已经验收，原告的请求没有依据。", "debate/defendant", "debate/plaintiff"),
    _t("c46", "good", "civil", DEBATE, PLAINTIFF, "双方可以互相辩论。原告还有无新的辩论意见？",
        "验收不能免除被告的保修责任。", "mutual/plaintiff",
       "debate/plaintiff debate/defendant"),
    _t("c47", "good", "civil", DEBATE, DEFENDANT, "被告有没有补充的辩论意见？", "没有补充。", "mutual/defendant",
        "debate/plaintiff debate/defendant"),
    _t("c48", "good", "civil", DEBATE, PLAINTIFF, "法庭辩论终结。请原告作最后陈述。", "坚持诉讼请求。",
        "debate_close final/plaintiff",
       "debate/plaintiff debate/defendant mutual/plaintiff mutual/defendant"),
    _t("c49", "good", "civil", DEBATE, DEFENDANT, "被告，你的最后意见是什么？", "请求驳回原告的诉讼请求。",
        "final/defendant",
       "debate/plaintiff debate/defendant debate_close final/plaintiff"),
    _t("c50", "wrong_stage", "civil", INQUIRY, PLAINTIFF, "原告发表最后陈述意见。", "坚持诉讼请求。", ""),
    _t("c51", "missing", "civil", DEBATE, PLAINTIFF, "辩论就到这里，双方都说得很清楚了，不必再多说。", "好的。",
        "debate_close", "debate/plaintiff debate/defendant"),
    _t("c52", "good", "civil", MEDIATE, PLAINTIFF, "根据自愿、合法的原则，本庭组织双方调解。原告是否同意调解？",
        "不同意调解。", "mediate/plaintiff"),
    _t("c53", "good", "civil", MEDIATE, DEFENDANT, "被告愿不愿意在法庭主持下和原告调解？", "愿意，可以退两万元。",
        "mediate/defendant"),
    _t("c54", "no_answer", "civil", MEDIATE, DEFENDANT, "被告是否同意调解？", "工程已经验收合格。", ""),
    _t("c55", "single_word", "civil", MEDIATE, PLAINTIFF, "刚才的调解没有成功，这很遗憾。", "是的。", ""),
    _t("c56", "good", "civil", JUDGE, (),
       "经合议庭评议，现在宣判。经审理查明：2024年3月双方签订装饰装修施工合同。对证据一、二、四予以采信；"
       "证据三照片无拍摄时间，不予采信。"
       "本院认为，被告施工存在渗水，应承担违约责任。依照《中华人民共和国民法典》第五百七十七条、第七百八十一条，"
       "《中华人民共和国民事诉讼法》第六十七条第一款的规定，"
       "判决如下：一、被告于本判决生效之日起十日内返还原告工程款三万元；二、驳回原告的其他诉讼请求。"
       "案件受理费一千五百五十元，由原告负担七百七十五元，被告负担七百七十五元。"
       "如不服本判决，可在判决书送达之日起十五日内，向本院递交上诉状，并按对方当事人的人数提出副本，"
       "上诉于江枫市中级人民法院。", "",
       "deliberate facts admission reason law ruling costs appeal"),
    _t("c57", "missing", "civil", JUDGE, (),
       "本院认为，原告的请求部分有理。依据《中华人民共和国民法典》第五百七十七条之规定，判决如下："
       "被告返还原告三万元。", "", "reason law ruling"),
    _t("c58", "good", "civil_small", JUDGE, (),
       "经审理查明，双方签订合同属实。本院认为，被告构成违约。依照《中华人民共和国民法典》第五百七十七条，判决如下："
       "被告支付原告八千元。案件受理费二十五元，由被告负担。本判决为终审判决。", "",
       "facts reason law ruling costs final_instance"),
    _t("c59", "good", "divorce", JUDGE, (),
       "判决如下：准予原告周某与被告罗某离婚。在判决发生法律效力前，双方均不得另行结婚。", "", "ruling remarry"),
    _t("c60", "wrong_stage", "civil", INQUIRY, (),
        "证据都看过了，不用再辩论。本院认为被告违约，判决如下：被告返还原告工程款六万元。", "", ""),
    _t("c61", "single_word", "civil", DEBATE, PLAINTIFF, "请注意诉讼程序，不要打断对方发言，辩护也要讲道理。",
        "好的审判长。", ""),
    _t("c62", "bundled", "civil", INQUIRY, BOTH, "原告陈述诉讼请求，被告答辩，双方出示证据并互相质证，对方可以发问。",
       (("plaintiff_lawyer", "请求返还工程款六万元。"), ("defendant_lawyer", "不同意，工程合格。")),
       "claim/plaintiff answer/defendant"),
    # --- criminal, opening ------------------------------------------------------------------------------------------
    _t("r01", "good", "criminal", OPEN, ACCUSED,
        "传被告人林海涛到庭。被告人，说一下你的姓名、出生日期、民族、出生地、文化程度、职业和住址。",
       "林海涛，1990年5月1日出生，汉族，出生在江枫市，初中文化，无业，住江枫市柳巷3号。", "identity/accused"),
    _t("r02", "good", "criminal", OPEN, ACCUSED, "被告人，你以前是否受过刑事处罚、行政处罚？", "没有。",
        "record/accused"),
    _t("r03", "good", "criminal", OPEN, ACCUSED, "有无前科劣迹？", "2019年因盗窃被行政拘留十日。", "record/accused"),
    _t("r04", "good", "criminal", OPEN, ACCUSED, "何时因本案被采取强制措施，是什么强制措施？",
        "2024年7月2日被刑事拘留，7月15日被逮捕。", "custody/accused"),
    _t("r05", "good", "criminal", OPEN, ACCUSED, "你是什么时候被拘留、逮捕的？起诉书副本什么时候收到的？",
        "7月2日拘留，7月15日逮捕，9月3日收到起诉书。",
       "custody/accused served/accused"),
    _t("r06", "good", "criminal", OPEN, ACCUSED, "起诉书副本收到了吗？哪一天收到的？", "收到了，2024年9月3日。",
        "served/accused"),
    _t("r07", "good", "criminal", OPEN, (),
       "江枫市荷塘区人民法院今天在这里依法公开开庭审理由江枫市荷塘区人民检察院提起公诉的被告人林海涛盗窃一案。", "",
       "cause public"),
    _t("r08", "good", "criminal", OPEN, (),
       "合议庭由审判员沈秋、白桥和人民陪审员庄敏组成，沈秋担任审判长，书记员柳叶担任记录；检察员姜文出庭支持公诉；"
       "律师赵宁受法律援助机构指派为被告人辩护。", "", "panel"),
    _t("r09", "good", "criminal", OPEN, ("accused", "defence_lawyer"),
       "当事人、辩护人在法庭审理中享有下列权利：可以申请合议庭组成人员、书记员、公诉人回避；可以提出证据，"
       "申请通知新的证人到庭、调取新的证据、重新鉴定或者勘验；"
       "被告人可以自行辩护；可以在法庭辩论终结后作最后陈述。", "", "rights"),
    _t("r10", "good", "criminal", OPEN, ACCUSED, "被告人林海涛，你是否申请回避？申请谁回避，理由是什么？",
        "不申请回避。", "recusal/accused"),
    _t("r11", "good", "criminal", OPEN, DEFENCE, "辩护人是否申请回避？", "不申请。", "recusal/defence"),
    _t("r12", "wrong_addressee", "criminal", OPEN, PROCURATOR, "被告人是否申请回避？", "公诉人没有意见。", ""),
    _t("r13", "good", "plea", OPEN, ACCUSED,
       "被告人，本案系认罪认罚案件。依照法律规定，自愿如实供述自己的罪行、承认指控的犯罪事实、愿意接受处罚的，"
       "可以依法从宽处理。你享有的诉讼权利和认罪认罚的法律规定，是否清楚？",
       "清楚。", "plea_notice/accused"),
    _t("r14", "good", "plea", OPEN, ACCUSED, "认罪认罚具结书是不是你自愿签署的？签的时候律师在不在场，内容是否属实？",
        "是自愿签的，律师在场，内容属实。", "plea_check/accused"),
    _t("r15", "good", "plea", OPEN, ACCUSED, "你认罪认罚是出于自愿吗？有没有人逼迫、引诱你？对具结书的内容有无异议？",
        "自愿的，没有人逼我，没有异议。", "plea_check/accused"),
    _t("r16", "single_word", "plea", OPEN, ACCUSED, "认罪认罚从宽制度是刑事诉讼的一项重要制度。", "嗯，知道了。", ""),
    _t("r17", "good", "criminal_summary", OPEN, ACCUSED,
        "本案建议适用简易程序审理，适用简易程序的法律规定刚才已经向你说明，你是否同意适用简易程序？", "同意。",
       "procedure_consent/accused"),
    _t("r18", "agenda", "criminal", OPEN, ACCUSED,
        "接下来依次是宣读起诉书、讯问被告人、举证质证、法庭辩论和最后陈述。", "知道了。", ""),
    # --- criminal, investigation ------------------------------------------------------------------------------------
    _t("r19", "good", "criminal", INQUIRY, PROCURATOR, "现在开始法庭调查。请公诉人宣读起诉书。",
       "江枫市荷塘区人民检察院起诉书。被告人林海涛于2024年6月30日在商场盗窃手机一部，应当以盗窃罪追究刑事责任。",
       "indictment/procurator"),
    _t("r20", "good", "criminal", INQUIRY, ACCUSED, "被告人，对起诉书指控的犯罪事实和罪名有无异议？",
        "对事实没有异议，对罪名也没有异议。", "objection/accused",
       "indictment/procurator"),
    _t("r21", "good", "criminal", INQUIRY, ACCUSED,
        "被告人林海涛，公诉人刚才宣读的起诉书你听清了吗？和你收到的一样吗？指控的你认不认？",
        "听清了，一样，我认罪。",
       "objection/accused", "indictment/procurator"),
    _t("r22", "good", "criminal", INQUIRY, ACCUSED, "你可以就起诉书指控的犯罪事实向法庭陈述。",
        "那天我在商场看到手机没人管，就拿走了。", "statement/accused",
       "indictment/procurator"),
    _t("r23", "good", "criminal", INQUIRY, PROCURATOR, "公诉人可以讯问被告人。", "被告人林海涛，你是怎么拿到手机的？",
        "examine_pros/procurator", "indictment/procurator"),
    _t("r24", "good", "criminal", INQUIRY, DEFENCE, "辩护人有无需要向被告人发问的？",
        "被告人，手机后来还给被害人了吗？", "examine_def/defence", "indictment/procurator"),
    _t("r25", "good", "criminal", INQUIRY, ACCUSED, "审判长讯问被告人：手机你卖给了谁，卖了多少钱？",
        "卖给收旧手机的，一千二百元。", "examine_court/accused", "indictment/procurator"),
    _t("r26", "good", "criminal", INQUIRY, PROCURATOR,
        "下面由公诉人向法庭举证。请公诉人出示证据，并说明证据的名称、来源和拟证明的事实。",
       "出示商场监控录像，由公安机关调取，证明被告人实施盗窃的过程。", "exhibit/K1",
       "indictment/procurator objection/accused"),
    _t("r27", "good", "criminal", INQUIRY, ACCUSED, "被告人对公诉人出示的该项证据有无意见？", "没有意见。",
        "cross/K1/accused", "exhibit/K1"),
    _t("r28", "good", "criminal", INQUIRY, DEFENCE, "辩护人发表质证意见。",
        "对监控录像的真实性、合法性、关联性无异议。", "cross/K1/defence",
       "exhibit/K1 cross/K1/accused"),
    _t("r29", "missing", "criminal", INQUIRY, ACCUSED, "证据都在卷宗里，被告人看没看都一样，我们继续。", "好。", "",
        "exhibit/K1"),
    _t("r30", "good", "criminal", INQUIRY, DEFENCE, "辩护人有无证据向法庭出示？",
        "有，出示被害人出具的谅解书，证明取得谅解。", "defence_evidence/defence exhibit/K4",
       "exhibit/K1 cross/K1/accused cross/K1/defence"),
    _t("r31", "good", "criminal", INQUIRY, PROCURATOR, "公诉人对辩护人出示的谅解书有什么意见？", "对谅解书没有异议。",
        "cross/K4/procurator", "exhibit/K4"),
    _t("r32", "wrong_stage", "criminal", INQUIRY, ACCUSED, "被告人，你还有什么要说的？现在作最后陈述。",
        "我知道错了。", ""),
    _t("r33", "good", "plea", INQUIRY, PROCURATOR, "请公诉人说明扣押、冻结的涉案财物的情况和处理建议。",
        "扣押手机一部已发还被害人，作案工具建议没收。",
       "property/procurator", "indictment/procurator"),
    _t("r34", "good", "fast", INQUIRY, ACCUSED, "被告人对指控的事实、证据、量刑建议以及适用速裁程序有无意见？",
        "没有意见，我认罪认罚，同意适用速裁程序。",
       "objection/accused fast_views/accused", "indictment/procurator"),
    _t("r35", "good", "fast", INQUIRY, DEFENCE, "请辩护人发表意见。",
        "对指控的事实、罪名和量刑建议均无异议，请求从宽处罚。", "fast_defence/defence",
       "indictment/procurator fast_views/accused"),
    # --- criminal, debate, last word, judgment ----------------------------------------------------------------------
    _t("r36", "good", "criminal", DEBATE, PROCURATOR,
       "法庭调查结束。现在就定罪、量刑和涉案财物处理进行法庭辩论。首先由公诉人发表公诉意见。",
       "被告人的行为已构成盗窃罪，建议判处有期徒刑八个月。",
       "debate_open prosecution/procurator"),
    _t("r37", "good", "criminal", DEBATE, ACCUSED, "被告人可以自行辩护。", "我一时糊涂，请求从轻。",
        "self_defence/accused", "debate_open prosecution/procurator"),
    _t("r38", "good", "criminal", DEBATE, DEFENCE, "由辩护人发表辩护意见。",
        "被告人如实供述，退赔并取得谅解，请求适用缓刑。", "defence/defence",
       "debate_open prosecution/procurator self_defence/accused"),
    _t("r39", "good", "criminal", DEBATE, PROCURATOR, "控辩双方可以继续辩论。公诉人对辩护意见有无答辩？",
        "同意从轻，不同意适用缓刑。", "mutual/procurator",
       "debate_open prosecution/procurator self_defence/accused defence/defence"),
    _t("r40", "wrong_addressee", "criminal", DEBATE, PROCURATOR, "请发表辩护意见。", "公诉意见已经发表完毕。", "",
        "debate_open prosecution/procurator"),
    _t("r41", "good", "criminal", LAST, ACCUSED, "法庭辩论终结。被告人林海涛，现在由你作最后陈述。",
        "我真心悔过，请求从轻处罚。", "debate_close last_word/accused",
       "debate/all"),
    _t("r42", "good", "fast", LAST, ACCUSED, "被告人，根据法律规定，你有最后陈述的权利，你还有什么要对法庭说的吗？",
        "没有了，我认罪认罚。", "last_word/accused",
       "fast_defence/defence"),
    _t("r43", "single_word", "criminal", DEBATE, ACCUSED, "被告人不要重复刚才的陈述。", "好的。", "",
        "debate_open prosecution/procurator"),
    _t("r44", "good", "criminal", JUDGE, (), "现在休庭，由合议庭进行评议，评议后当庭宣判。", "", "deliberate"),
    _t("r45", "good", "plea", JUDGE, (),
       "继续开庭，现在宣判。经审理查明，2024年6月30日被告人林海涛在商场窃取手机一部，价值三千二百元。"
       "上述事实有监控录像、被害人陈述、价格认定结论书证实，经庭审质证，本院予以采信。"
       "本院认为，被告人林海涛以非法占有为目的秘密窃取他人财物，数额较大，其行为已构成盗窃罪。"
       "公诉机关指控的罪名成立，量刑建议适当，本院予以采纳。"
       "依照《中华人民共和国刑法》第二百六十四条、第六十七条第三款，《中华人民共和国刑事诉讼法》第十五条、"
       "第二百零一条之规定，判决如下："
       "一、被告人林海涛犯盗窃罪，判处有期徒刑六个月，缓刑一年，并处罚金人民币二千元；二、扣押的作案工具予以没收。"
       "如不服本判决，可在接到判决书的第二日起十日内，通过本院或者直接向江枫市中级人民法院提出上诉。", "",
       "facts admission reason adoption law verdict property_ruling appeal"),
    _t("r46", "missing", "plea", JUDGE, (),
        "本院认为，被告人的行为构成盗窃罪。判决如下：被告人林海涛犯盗窃罪，判处拘役四个月，并处罚金一千元。", "",
        "reason verdict"),
    _t("r47", "wrong_stage", "criminal", INQUIRY, (),
        "不需要辩论了，本院认为被告人构成盗窃罪，依照《中华人民共和国刑法》第二百六十四条，判决如下："
        "判处有期徒刑八个月。", "", ""),
    _t("r48", "quotation", "criminal", OPEN, ACCUSED,
        "刑事诉讼法规定，审判长在宣布辩论终结后，被告人有最后陈述的权利。", "知道了。", ""),
    _t("r49", "bundled", "criminal", OPEN, ACCUSED,
        "被告人报一下姓名、出生日期、住址，以前受过处罚没有，什么时候被拘留的，起诉书哪天收到的，申不申请回避？",
       "林海涛，1990年5月1日生，住柳巷3号，没受过处罚，7月2日拘留，9月3日收到，不申请。",
       "identity/accused record/accused"),
    _t("r50", "bundled", "criminal", DEBATE, ("procurator", "accused", "defence_lawyer"),
        "请公诉人、被告人、辩护人依次发表意见，然后被告人最后陈述，再互相辩论。",
       (("procurator", "建议判处有期徒刑八个月。"), ("accused", "请求从轻。"), ("defence_lawyer", "请求缓刑。")),
       "prosecution/procurator self_defence/accused", "debate_open"),
    # --- second round: how judges talk when they do not read from a card --------------------------------------------
    _t("v01", "good", "civil", OPEN, PLAINTIFF, "原告委托诉讼代理人，请向法庭报告你的姓名、执业机构以及授权范围。",
        "陈立言，知衡律师事务所律师，特别授权。", "identity/plaintiff"),
    _t("v02", "good", "civil", OPEN, DEFENDANT,
        "被告对原告方出庭人员的身份有无异议？你方出庭人员的身份情况也请说明。",
        "没有异议。我方是启明公司代理人何青。", "identity/defendant"),
    _t("v03", "good", "civil", OPEN, BOTH, "经核对，双方当事人及诉讼代理人的身份符合法律规定，可以参加本案诉讼。", "",
        ""),
    _t("v04", "good", "civil", OPEN, (), "本案案由为装饰装修合同纠纷。", "", "cause"),
    _t("v05", "good", "civil", OPEN, BOTH,
        "双方当事人享有的诉讼权利和应当履行的诉讼义务，庭前已经书面送达，是否收到、是否了解？",
        (("plaintiff_lawyer", "收到，了解。"), ("defendant_lawyer", "收到，了解。")), "rights"),
    _t("v06", "good", "civil", OPEN, PLAINTIFF, "原告方听清了没有？申请哪一位回避吗？", "听清了，不申请。",
        "recusal/plaintiff"),
    _t("v07", "good", "civil", OPEN, DEFENDANT, "被告对合议庭组成人员及书记员有没有要申请回避的？", "没有。",
        "recusal/defendant"),
    _t("v08", "good", "civil", INQUIRY, PLAINTIFF, "下面进入法庭调查阶段。原告，先把你方的诉讼请求、事实理由讲一下。",
        "请求返还工程款六万元。事实理由与起诉状一致。", "claim/plaintiff"),
    _t("v09", "good", "civil", INQUIRY, DEFENDANT, "被告，你方的答辩意见？", "不同意原告诉请，工程合格。",
        "answer/defendant"),
    _t("v10", "good", "civil", INQUIRY, DEFENDANT, "刚才原告讲的，被告方怎么答复？认不认？",
        "不认可，工程验收合格，不同意返还。", "answer/defendant"),
    _t("v11", "good", "civil", INQUIRY, BOTH,
        "本案的争议焦点有两个：工程质量是否合格、工程款是否应当返还。双方有无不同意见？",
        (("plaintiff_lawyer", "无不同意见。"), ("defendant_lawyer", "没有。")), "issues/plaintiff issues/defendant",
        "claim/plaintiff answer/defendant"),
    _t("v12", "good", "civil", INQUIRY, PLAINTIFF, "围绕第一个焦点，原告有什么证据？",
        "有装饰装修施工合同和现场照片，证明质量问题。", "exhibit/E1 exhibit/E3"),
    _t("v13", "good", "civil", INQUIRY, DEFENDANT, "被告看一下这份合同，是不是你们签的，有什么意见？",
        "是我们签的，真实性认可。", "cross/E1/defendant", "exhibit/E1"),
    _t("v14", "good", "civil", INQUIRY, DEFENDANT, "对这张转账回单，被告认可吗？", "认可收到六万元。",
        "cross/E2/defendant", "exhibit/E2"),
    _t("v15", "good", "civil", INQUIRY, DEFENDANT, "被告方举证。", "提交工程竣工验收单，证明工程合格。",
        "exhibit/E4"),
    _t("v16", "good", "civil", INQUIRY, PLAINTIFF, "原告，说说渗水之后你们自己修过没有。", "没有修过，等被告来修。",
        "question/plaintiff"),
    _t("v17", "good", "civil", DEBATE, PLAINTIFF, "下面进行辩论，原告先说。", "被告违约，应当返还工程款。",
        "debate/plaintiff"),
    _t("v18", "good", "civil", DEBATE, DEFENDANT, "被告发表辩论意见，注意不要重复答辩内容。",
        "渗水与施工无关，原告举证不足。", "debate/defendant", "debate/plaintiff"),
    _t("v19", "good", "civil", DEBATE, PLAINTIFF, "原告还有补充吗？没有的话，辩论结束。最后还有什么意见？",
        "请求支持我方诉讼请求。", "debate_close final/plaintiff",
        "debate/plaintiff debate/defendant mutual/plaintiff"),
    _t("v20", "good", "civil", MEDIATE, BOTH, "本着互谅互让的精神，双方能否协商解决，要不要法庭给你们调一调？",
        (("plaintiff_lawyer", "不同意调解。"), ("defendant_lawyer", "可以调解。")),
        "mediate/plaintiff mediate/defendant"),
    _t("v21", "good", "civil", JUDGE, (),
        "经审理，本院查明以下事实：双方于2024年3月签订合同。关于责任，本院认为被告应当承担违约责任。"
        "据此，依照《中华人民共和国民法典》第五百七十七条之规定，判决：被告返还原告工程款三万元。诉讼费由被告承担。"
        "不服的，十五日内可上诉至江枫市中级人民法院。", "", "facts reason law ruling costs appeal"),
    _t("v22", "good", "criminal", OPEN, ACCUSED, "被告人，你叫什么名字，多大年纪，哪里人，干什么工作的？",
        "林海涛，三十四岁，江枫人，没有工作。", "identity/accused"),
    _t("v23", "good", "criminal", OPEN, ACCUSED, "以前犯过事没有？坐过牢、被处罚过没有？", "没有。",
        "record/accused"),
    _t("v24", "good", "criminal", OPEN, ACCUSED, "这次是哪天被抓的，哪天批的逮捕？", "7月2日被抓，7月15日逮捕。",
        "custody/accused"),
    _t("v25", "good", "criminal", OPEN, ACCUSED, "检察院的起诉书副本，你是哪天拿到的？", "9月3日。",
        "served/accused"),
    _t("v26", "good", "criminal", OPEN, DEFENCE, "辩护人有回避申请吗？", "没有。", "recusal/defence"),
    _t("v27", "good", "plea", OPEN, ACCUSED, "签这份认罪认罚具结书，有没有人强迫你？", "没有，我自己愿意签的。",
        "plea_check/accused"),
    _t("v28", "good", "criminal", INQUIRY, PROCURATOR, "由公诉人宣读起诉书。",
        "被告人林海涛于2024年6月30日盗窃手机一部，应当追究刑事责任。", "indictment/procurator"),
    _t("v29", "good", "criminal", INQUIRY, ACCUSED, "起诉书说你偷了一部手机，这事是不是真的？罪名你认吗？",
        "是真的，我认罪。", "objection/accused", "indictment/procurator"),
    _t("v30", "good", "criminal", INQUIRY, PROCURATOR, "公诉人就本案事实举证。",
        "出示商场监控录像和价格认定结论书，证明盗窃事实和价值。", "exhibit/K1 exhibit/K3", "indictment/procurator"),
    _t("v31", "good", "criminal", INQUIRY, ACCUSED,
        "被告人，刚才播放的录像你看清了吗，里面的人是不是你？有没有意见？", "看清了，是我，没意见。",
        "cross/K1/accused", "exhibit/K1"),
    _t("v32", "good", "criminal", DEBATE, PROCURATOR,
        "事实已经查清，法庭调查到此结束，下面开始法庭辩论，先请公诉人发表意见。",
        "被告人构成盗窃罪，建议判处有期徒刑八个月。", "debate_open prosecution/procurator"),
    _t("v33", "good", "criminal", DEBATE, DEFENCE, "辩护人，发表你的辩护意见。", "被告人初犯，如实供述，请求从轻。",
        "defence/defence", "debate_open prosecution/procurator"),
    _t("v34", "good", "criminal", LAST, ACCUSED, "被告人，法庭辩论已经结束，依法你可以作最后陈述，你还有什么想说的？",
        "我错了，以后再也不犯。", "last_word/accused"),
    _t("v35", "agenda", "civil", OPEN, BOTH,
        "今天先做法庭调查，再组织辩论，辩论完了征求最后意见，能调就调，不能调就判。",
        (("plaintiff_lawyer", "好的。"), ("defendant_lawyer", "好的。")), ""),
    _t("v36", "single_word", "civil", INQUIRY, PLAINTIFF, "你方提交的合同里写的是调解优先，为什么没有先调解？",
        "对方不配合。", "question/plaintiff"),
    _t("v37", "single_word", "criminal", DEBATE, DEFENCE,
        "辩护人注意，这里不是质证环节，也不是回避申请的时候，请围绕量刑说。", "好的，请求从轻处罚。",
        "defence/defence", "debate_open prosecution/procurator"),
    _t("v38", "wrong_addressee", "civil", DEBATE, PLAINTIFF, "请被告发表辩论意见。", "那我先说，被告违约。", "",
        "debate/plaintiff"),
    _t("v39", "missing", "criminal", LAST, ACCUSED, "时间不早了，最后陈述就免了，庭后交书面的吧。", "好的。", ""),
    _t("v40", "quotation", "civil", MEDIATE, PLAINTIFF,
        "民事诉讼法第九条规定，人民法院审理民事案件，应当根据自愿和合法的原则进行调解。", "知道了。", ""),
    # --- third round ------------------------------------------------------------------------------------------------
    _t("w01", "good", "civil", OPEN, PLAINTIFF, "原告本人没来？由代理人说明原告的姓名、住址，并出示授权委托书。",
        "原告周岚，住荷塘路12号。这是授权委托书，特别授权。", "identity/plaintiff"),
    _t("w02", "good", "civil", OPEN, (), "本案由我独任审理，书记员柳叶负责记录。", "", "panel"),
    _t("w03", "good", "civil", OPEN, BOTH,
        "根据法律规定，双方可以委托代理人、申请回避、提供证据、进行辩论和请求调解，也要遵守法庭秩序。", "", "rights"),
    _t("w04", "good", "civil", OPEN, PLAINTIFF, "对于本庭组成人员，原告需要申请回避吗？", "不需要。",
        "recusal/plaintiff"),
    _t("w05", "no_answer", "civil", OPEN, PLAINTIFF, "原告是否申请回避？", "", ""),
    _t("w06", "agenda", "civil", OPEN, BOTH,
        "庭审分为法庭调查、法庭辩论、最后陈述、调解几个环节，请双方遵守法庭秩序。", "", ""),
    _t("w07", "good", "civil", INQUIRY, PLAINTIFF, "原告诉讼请求是什么？依据的事实是什么？",
        "请求返还工程款六万元。被告施工不合格。", "claim/plaintiff"),
    _t("w08", "good", "civil", INQUIRY, DEFENDANT, "被告对原告的诉求有什么答辩意见？", "不同意，工程已验收。",
        "answer/defendant"),
    _t("w09", "good", "civil", INQUIRY, PLAINTIFF, "好，原告你来举证，一份一份地出示。", "第一份，装饰装修施工合同。",
        "exhibit/E1"),
    _t("w10", "good", "civil", INQUIRY, DEFENDANT, "被告质证。", "三性均认可，证明目的不认可。", "cross/E1/defendant",
        "exhibit/E1"),
    _t("w11", "good", "civil", INQUIRY, PLAINTIFF, "这张验收单，原告看一下，签字是不是你方的人？发表一下意见。",
        "是周岚本人签的，但当时没有渗水。", "cross/E4/plaintiff", "exhibit/E4"),
    _t("w12", "good", "civil", INQUIRY, (),
        "对于原告提交的证据三，因无法核实拍摄时间，且被告不予认可，本庭不予采纳。", "", "admission",
        "exhibit/E3 cross/E3/defendant"),
    _t("w13", "good", "civil", INQUIRY, DEFENDANT, "被告，你们当时用的是什么防水材料？", "用的是国标防水涂料。",
        "question/defendant"),
    _t("w14", "good", "civil", DEBATE, PLAINTIFF, "现在开始法庭辩论，原告发表辩论意见。", "被告应当承担违约责任。",
        "debate/plaintiff"),
    _t("w15", "good", "civil", DEBATE, PLAINTIFF, "第二轮辩论，原告还有没有要说的？", "没有了。", "mutual/plaintiff",
        "debate/plaintiff debate/defendant"),
    _t("w16", "good", "civil", DEBATE, PLAINTIFF,
        "鉴于双方没有新的辩论意见，本庭宣布法庭辩论终结。依照法律规定，双方有最后陈述的权利，原告先说最后意见。",
        "请求支持诉讼请求。", "debate_close final/plaintiff",
        "debate/plaintiff debate/defendant mutual/plaintiff mutual/defendant"),
    _t("w17", "good", "civil", MEDIATE, DEFENDANT, "被告有没有调解的意愿，方案是什么？", "有，愿意退一万元。",
        "mediate/defendant"),
    _t("w18", "missing", "civil", MEDIATE, PLAINTIFF, "双方分歧较大，本庭不再主持调解。", "好的。", ""),
    _t("w19", "good", "civil", JUDGE, (),
        "本院经审理认定事实如下：双方存在装修合同关系。本院认为，原告主张有理。"
        "综上，根据《中华人民共和国民法典》第五百零九条、第五百七十七条，判决如下：被告给付原告三万元。"
        "案件受理费由被告承担。", "", "facts reason law ruling costs"),
    _t("w20", "wrong_stage", "civil", OPEN, DEFENDANT, "被告对原告的证据有无异议？", "没有异议。", ""),
    _t("w21", "good", "criminal", OPEN, ACCUSED, "被告人，姓名？", "林海涛。", "identity/accused"),
    _t("w22", "good", "criminal", OPEN, ACCUSED, "你以前有没有被判过刑或者受过治安处罚？", "2019年被行政拘留过一次。",
        "record/accused"),
    _t("w23", "good", "criminal", OPEN, ACCUSED, "因涉嫌本案，你于何时被羁押？", "7月2日。", "custody/accused"),
    _t("w24", "good", "criminal", OPEN, ("accused", "defence_lawyer"),
        "被告人、辩护人对合议庭组成人员、书记员、公诉人是否申请回避？",
        (("accused", "不申请。"), ("defence_lawyer", "不申请回避。")), "recusal/accused recusal/defence"),
    _t("w25", "good", "plea", OPEN, ACCUSED,
        "被告人林海涛，你在审查起诉阶段签了具结书，是你的真实意思吗？是自愿的吗？", "是，自愿的。",
        "plea_check/accused"),
    _t("w26", "good", "criminal", INQUIRY, PROCURATOR, "进入法庭调查阶段，公诉人请宣读起诉书。",
        "起诉书指控被告人林海涛犯盗窃罪。", "indictment/procurator"),
    _t("w27", "good", "criminal", INQUIRY, ACCUSED, "被告人，起诉书指控的事实你有意见吗？罪名呢？",
        "没有意见，认罪。", "objection/accused", "indictment/procurator"),
    _t("w28", "good", "criminal", INQUIRY, DEFENCE, "辩护人是否需要发问？", "不需要。", "examine_def/defence",
        "indictment/procurator"),
    _t("w29", "good", "criminal", INQUIRY, DEFENCE, "辩护人的质证意见？", "对监控录像无异议。", "cross/K1/defence",
        "exhibit/K1"),
    _t("w30", "wrong_addressee", "criminal", LAST, DEFENCE, "请被告人作最后陈述。", "被告人已经认罪，请求从轻。", ""),
    _t("w31", "good", "criminal", DEBATE, ACCUSED, "被告人，你有什么要为自己辩护的？", "我没有什么要说的，请求从轻。",
        "self_defence/accused", "debate_open prosecution/procurator"),
    _t("w32", "single_word", "criminal", OPEN, ACCUSED, "本案的审判程序已经在庭前会议上向你介绍过。", "是的。", ""),
    _t("w33", "good", "criminal", JUDGE, (),
        "全体起立。被告人林海涛犯盗窃罪，判处有期徒刑八个月，并处罚金三千元。上诉期限为接到判决书第二日起十日，"
        "可以向江枫市中级人民法院上诉。请坐。", "", "verdict appeal"),
    _t("w34", "bundled", "criminal", DEBATE, PROCURATOR, "公诉人发表公诉意见，被告人自行辩护，辩护人发表辩护意见。",
        "建议判处有期徒刑八个月。", "prosecution/procurator", "debate_open"),
)  # fmt: skip
