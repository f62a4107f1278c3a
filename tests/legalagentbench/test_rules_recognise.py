"""What the rules policy finds in a question: named things, with and without a name index, and the turns of phrase."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.legalagentbench.rules.mentions import Modifier
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.places import Place, parse_place
from tasks.legalagentbench.rules.recognise import recognise, tidy
from tasks.legalagentbench.rules.values import court_code
from tasks.legalagentbench.rules.wanted import read

EMPTY = NameIndex({})
INDEX = NameIndex(
    {
        "company": ["青岚松雪科技股份有限公司", "北岭霁月新能源有限公司"],
        "short": ["松雪科技"],
        "court": ["青岚市望江区人民法院"],
        "firm": ["青岚和颂律师事务所"],
        "address": ["望江经济开发区云汉路1号"],
        "agency": ["望江区应急管理局"],
    },
    [Place("青岚省", "青岚市", "望江区")],
)


def found(question: str, index: NameIndex = EMPTY) -> list[tuple[str, str]]:
    return [(entity.kind, entity.name) for entity in recognise(tidy(question), index)]


@pytest.mark.parametrize(
    ("question", "kind", "name"),
    [
        ("请问(2019)京0105民初9号的原告是谁？", "case", "（2019）京0105民初9号"),
        ("案号为（2020）鄂民申442号的被告是谁？", "case", "（2020）鄂民申442号"),
        ("（2019）陕0802执恢581号限高公司是哪家", "case", "（2019）陕0802执恢581号"),
        ("某监管检处〔2019〕22号行政处罚涉及哪家公司", "case", "某监管检处〔2019〕22号"),
        ("查询91110108748839957B公司的名称", "credit", "91110108748839957B"),
        ("股票代码601515的公司地址是什么", "stock", "601515"),
        ("我们正在分析广元中孚高精铝材有限公司的股权结构", "company", "广元中孚高精铝材有限公司"),
        ("想了解沈阳市皇姑区人民法院的地址", "court", "沈阳市皇姑区人民法院"),
        ("请问山东恒越律师事务所参与了多少次案件", "firm", "山东恒越律师事务所"),
        ("请问郑州市陇海中路70号所属地区有哪些法院", "address", "郑州市陇海中路70号"),
    ],
)
def test_shapes_need_no_index(question: str, kind: str, name: str) -> None:
    assert (kind, name) in found(question)


@pytest.mark.parametrize(
    ("question", "kind", "name"),
    [
        ("松雪科技的股票代码是什么", "short", "松雪科技"),
        ("青岚松雪科技股份有限公司的子公司有几家", "company", "青岚松雪科技股份有限公司"),
        ("岚松雪科技股份有限公司在终本信息中", "company", "青岚松雪科技股份有限公司"),
        ("青岚和颂律师事务所的负责人", "firm", "青岚和颂律师事务所"),
        ("“望江经济开发区云汉路1号”属于哪个省", "address", "望江经济开发区云汉路1号"),
        ("望江区应急管理局作出的行政处罚", "agency", "望江区应急管理局"),
    ],
)
def test_names_of_the_pack(question: str, kind: str, name: str) -> None:
    assert found(question, INDEX) == [(kind, name)]


def test_exchanged_characters_mark_another_company() -> None:
    index = NameIndex({"company": ["安岭建工一建集团有限公司"]})
    assert found("安岭建工三建集团有限公司的行政处罚次数", index) == [("company", "安岭建工三建集团有限公司")]


def test_a_talk_of_law_firms_is_no_law_firm() -> None:
    assert found("我是一家律师事务所的助理，在这家律师事务所工作，想知道哪些律师事务所注册资本最高") == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("安徽省合肥市庐江县郭河镇", Place("安徽省", "合肥市", "庐江县")),
        ("北京市海淀区丹棱街", Place("北京市", "北京市", "海淀区")),
        ("上海市上海市浦东新区", Place("上海市", "上海市", "浦东新区")),
        ("昆明市晋宁区昆阳街道", Place("云南省", "昆明市", "晋宁区")),
        ("山西省吕梁市孝义市", Place("山西省", "吕梁市", "孝义市")),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert parse_place(text)[0] == place


def test_a_loose_place_is_completed_from_the_pack() -> None:
    index = NameIndex({}, [Place("安徽省", "合肥市", "蜀山区")])
    [entity] = recognise("合肥蜀山有哪些律师事务所", index)
    assert entity.place == Place("安徽省", "合肥市", "蜀山区")


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("（2019）鄂0691执保22号", "鄂0691"), ("（2020）鄂民申442号", "鄂"), ("（2021）京73民终1号", "京73"),
        ("（2020）最高法民申6935号", "最高法"), ("（2020）京7101民初1号", "京7101"), ("没有案号", None),
    ],
)  # fmt: skip
def test_court_codes(number: str, code: str | None) -> None:
    assert court_code(number) == code


@pytest.mark.parametrize(
    ("text", "op", "concept"),
    [
        ("注册资本超过300万的律所", ">", "capital"), ("投资额不低于1.5亿元的子公司", ">=", "invested"),
        ("投资金额过亿的子公司", ">", "invested"), ("涉案金额最高的案件", "max", "amount"),
        ("最低的投资金额", "min", "invested"), ("2016年以后成立的律所", "in", "founded"),
        ("成立时间最早的律所", "first", "founded"),
        ("涉案金额第二高的案件", "max", "amount"), ("全资子公司", "=", "ratio"),
        ("持股比例为100%的子公司", "=", "ratio"),
    ],
)  # fmt: skip
def test_conditions(text: str, op: str, concept: str) -> None:
    modifiers = [mention.modifier for mention in read(text, []) if mention.modifier]
    assert any(m.op == op and concept in m.concepts for m in modifiers)


def test_a_range_of_two_thresholds() -> None:
    modifiers = [mention.modifier for mention in read("投资金额大于1.5亿并且小于4亿的子公司", []) if mention.modifier]
    assert modifiers == [Modifier("between", ("invested",), (150_000_000, 400_000_000))]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=120))
def test_total(text: str) -> None:
    question = tidy(text)
    read(question, recognise(question, INDEX))


@given(
    st.lists(
        st.sampled_from(
            ["松雪科技", "的", "母公司", "子公司", "最新一次", "第二", "次高", "多少", "家", "（", "）", "（2019）",
                "2020年", "超过", "万", "案件",
             "限高", "审理法院", "所在区县", "是", "？", "，", "全资", "几", "号", "法院", "最高", "%", "其他",
             "原告"]
        ),
        max_size=14,
    )
)  # fmt: skip
def test_total_on_broken_questions(pieces: list[str]) -> None:
    question = tidy("".join(pieces))
    read(question, recognise(question, INDEX))
