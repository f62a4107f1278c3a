"""Strict matching: what counts as stating a key, and what never does."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tasks.scoring.strict import canonical, compat_hit, is_derived, shows_key, strict_hit

STATED = [
    ("2次", "该公司共被执行 **2** 次。"),
    ("2次", "次数为两次"),
    ("12次", "一共十二次"),
    ("1家", "该区只有一家法院"),
    ("1次", "次数为一次"),
    ("0.90亿元", "注册资本为9000万元"),
    ("0.90亿元", "90,000,000元"),
    ("0.90亿元", "人民币0.9亿元整"),
    ("0.90亿元", "九千万元"),
    ("1.31亿元", "13123.45万元"),
    ("18.43亿元", "18.4291亿元"),
    ("118218600.00元", "118218600元"),
    ("35000元", "3万5000元"),
    ("120000000元", "1亿2000万元"),
    ("3.56亿", "35600万元"),
    ("65", "参股比例是65.0%"),
    ("4653", "注册资本4653万元"),
    ("40638153.0", "6. 40638153 元"),
    ("2014年08月19日", "2014年8月19日"),
    ("2014年8月19日", "二〇一四年八月十九日"),
    ("2014年8月19日", "日期：2014-08-19。"),
    ("1998年7月", "自1998年07月起"),
    ("1998年7月", "1998年7月15日"),
    ("（2019）京0112民初15842号", "(2019)京0112民初15842号"),
    ("沪监罚〔2020〕5号", "沪监罚[2020]5号"),
    ("民法典第五百零三条", "民法典第503条"),
    ("是上市公司", "该公司是上市公司"),
    ("不是上市公司", "该公司不是上市公司"),
    ("-", "网址为-，电话为"),
    ("300072", "代码３０００７２。"),
    ("0471-3396155", "电话 0471-3396155"),
    ("（深圳）金融", "(深圳)金融"),
    ("是零", "是零。"),
]
NOT_STATED = [
    ("2次", "12次"),
    ("2次", "第2次"),
    ("2次", "2.2次"),
    ("0起", "约5至10起"),
    ("1起", "一起调用"),
    ("1个", "这是一个问题"),
    ("65", "1965"),
    ("65", "65.7"),
    ("65", "A65B"),
    ("2", "1.2.3"),
    ("65", "第65条"),
    ("9000万元", "19000万元"),
    ("9000万元", "9000元"),
    ("1亿元", "1.4亿元"),
    ("1亿元", "1亿2000万元"),
    ("5000元", "3万5000元"),
    ("2152525.50元", "2152526元"),
    ("0元", "0.4元"),
    ("2014年8月19日", "2014年8月1日"),
    ("2014年9月", "2014年8月19日"),
    ("913205835810930136", "9132058358109301361"),
    ("冀0683", "冀06831"),
    ("0683", "683"),
    ("688106", "6881068"),
    ("是上市公司", "不是上市公司"),
    ("-", "电话 010-62230633"),
    ("-", "- 第一项"),
    ("10次", "二十次"),
    ("2千克", "12千克"),
]


@pytest.mark.parametrize(("key", "text"), STATED)
def test_states_the_key(key: str, text: str) -> None:
    assert strict_hit(key, text)


@pytest.mark.parametrize(("key", "text"), NOT_STATED)
def test_does_not_state_the_key(key: str, text: str) -> None:
    assert not strict_hit(key, text)


HAN = st.text(alphabet="北京市公司法院律师事务所注册资本金额原告被告，。：；", max_size=12)
NUMERAL = st.integers(min_value=0, max_value=10**9).map(str)


@given(st.text(max_size=40))
def test_any_text_states_itself(key: str) -> None:
    assume(key.strip())
    assert strict_hit(key, key)


@given(st.text(max_size=60), st.text(max_size=60))
def test_total_and_repeatable(key: str, text: str) -> None:
    assert strict_hit(key, text) == strict_hit(key, text)
    made = canonical(text)
    assert len(made.items) == len(made.places)
    assert list(made.places) == sorted(set(made.places))


@given(NUMERAL, st.from_regex(r"[1-9][0-9]{0,4}", fullmatch=True), st.sampled_from("次家个元号"), st.booleans())
def test_numeral_inside_a_longer_one_never_hits(key: str, digits: str, unit: str, front: bool) -> None:
    longer = digits + key if front else key + digits
    assert not strict_hit(f"{key}{unit}", f"共{longer}{unit}。")
    assert not strict_hit(key, f"共{longer}{unit}。")
    assert compat_hit(key, longer)


@given(NUMERAL, HAN, HAN, st.sampled_from(["次", "家", "元", "万元", "%", ""]))
def test_whole_numeral_hits_wherever_it_stands(number: str, before: str, after: str, unit: str) -> None:
    assert strict_hit(f"{number}{unit}", f"{before}{number}{unit}{after}")


@given(st.text(alphabet="华东科技股份有限公司（）张王李赵", min_size=1, max_size=20), HAN, HAN)
def test_han_names_hit_wherever_they_stand(name: str, before: str, after: str) -> None:
    assert strict_hit(name, before + name + after)


@given(st.integers(min_value=1, max_value=10**7), st.sampled_from([("元", 1), ("万元", 10**4), ("亿元", 10**8)]))
def test_equal_money_in_another_unit_hits(amount: int, unit: tuple[str, int]) -> None:
    name, size = unit
    yuan = amount * size
    assert strict_hit(f"{amount}{name}", f"共{yuan}元")
    assert strict_hit(f"{amount}{name}", f"共{yuan:,}元")
    assert strict_hit(f"{yuan}元", f"共{amount}{name}")
    assert not strict_hit(f"{amount}{name}", f"共{yuan + 1}元")


def test_long_hostile_text_is_read() -> None:
    text = "1,2.3年4月5日一二三" * 5000 + "共7次"
    assert strict_hit("7次", text)
    assert not strict_hit("8次", text)


@pytest.mark.parametrize("key", ["2次", "十家", "127天", "是上市公司", "0起"])
def test_computed_keys_are_derived(key: str) -> None:
    assert is_derived(key)


@pytest.mark.parametrize("key", ["张三", "0.90亿元", "2020年1月1日", "688106", "4653"])
def test_cells_are_not_derived(key: str) -> None:
    assert not is_derived(key)


def test_observation_shows_amounts_as_bare_numbers() -> None:
    row = "{'注册资本': '9000万', '未履行金额（元）': 40638153.0, '日期': '2019年08月07日'}"
    assert shows_key("0.90亿元", row)
    assert shows_key("40638153元", row)
    assert shows_key("2019年8月7日", row)
    assert not shows_key("4063815元", row)
