"""Hearings of an invented dispute and of an invented theft, in every procedure."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.courts.procedure.model import Hearing, ProcedureExhibit

_CIVIL = (
    ProcedureExhibit("E1", "plaintiff", "装饰装修施工合同", 1),
    ProcedureExhibit("E2", "plaintiff", "银行转账回单", 2),
    ProcedureExhibit("E3", "plaintiff", "墙面渗水现场照片", 3),
    ProcedureExhibit("E4", "defendant", "工程竣工验收单", 1),
)
_CRIMINAL = (
    ProcedureExhibit("K1", "procurator", "商场监控录像", 1),
    ProcedureExhibit("K2", "procurator", "被害人冯某的陈述", 2, disputed=False),
    ProcedureExhibit("K3", "procurator", "价格认定结论书", 3, disputed=False),
    ProcedureExhibit("K4", "defence", "被害人出具的谅解书", 1, disputed=False),
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
