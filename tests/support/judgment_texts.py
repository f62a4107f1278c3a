"""Four judgments of first instance, the cases of the sample as judgments, and files of every kind. Everybody is
invented."""

from __future__ import annotations

from datetime import date

from tasks.courts.casefile.case import CivilCase, CriminalCase

LOAN = """望川省澜江市青禾区人民法院
民 事 判 决 书
（2024）望0102民初1836号
原告：周映川，男，1979年4月12日出生，汉族，茶叶店经营者，住望川省澜江市青禾区柳荫街26号3幢502室，公民身份号码530102197904121234。
委托诉讼代理人：宋知遥，望川明衡律师事务所律师，特别授权。
被告：罗成溪，男，1981年11月3日出生，汉族，面馆经营者，住望川省澜江市青禾区石桥路9号1幢301室，联系电话13987654321。
委托诉讼代理人：杜蘅，澜江行止律师事务所律师。
原告周映川与被告罗成溪民间借贷纠纷一案，本院于2024年6月17日立案后，依法适用简易程序，于2024年8月6日公开开庭进行了审理。原告周映川及其委托诉讼代理人宋知遥，被告罗成溪及其委托诉讼代理人杜蘅到庭参加诉讼。本案现已审理终结。
原告周映川向本院提出诉讼请求：1.判令被告归还原告借款本金200000元；2.判令被告支付原告利息13500元（以200000元为基数，按年利率9%自2023年9月15日计算至2024年6月14日）；3.判令被告支付原告律师费8000元；4.本案诉讼费用由被告负担。事实和理由：原、被告系多年朋友。2023年3月15日，被告因装修面馆向原告借款20万元，约定借款期限一年，年利率9%。借款到期后，被告至今未归还本金。
被告罗成溪辩称，一、收到借款20万元属实；二、已于2024年1月15日还款3万元，应当从本金中扣除；三、律师费没有约定，不应由被告负担。
原告周映川围绕诉讼请求提交了如下证据：1.借条一张，证明双方成立借款合同；2.银行转账电子回单，证明交付借款20万元；3.微信聊天记录，证明原告多次催要；4.委托代理合同及律师费发票，证明支出律师费8000元。被告罗成溪提交了如下证据：1.手机银行转账记录，证明已还款3万元。
本院组织当事人进行了质证。对当事人无异议的证据，本院予以确认并在卷佐证。
经审理查明：2023年3月15日，罗成溪向周映川借款20万元并出具借条，约定年利率9%。同日，周映川通过银行向罗成溪卡号6222021234567890123的账户转账20万元。
2024年1月15日，罗成溪向周映川转账3万元，附言为“还款”。证人韩小满在场见到双方对账。
本案的争议焦点为：一、2024年1月15日的3万元是还款还是货款；二、律师费应否由被告负担。
本院认为，原告向被告交付借款20万元，双方之间的借款合同成立并有效。被告2024年1月15日所付3万元先抵充利息6000元，余款24000元抵充本金，尚欠本金176000元。律师费没有约定，不予支持。综上，依照《中华人民共和国民法典》第五百零九条第一款、第六百七十五条、第六百七十六条，《最高人民法院关于审理民间借贷案件适用法律若干问题的规定》第二十八条第二款第（二）项，《中华人民共和国民事诉讼法》第六十七条第一款规定，判决如下：
一、被告罗成溪于本判决生效之日起十日内归还原告周映川借款本金176000元；
二、被告罗成溪于本判决生效之日起十日内支付原告周映川利息6600元；
三、驳回原告周映川的其他诉讼请求。
如果未按本判决指定的期间履行给付金钱义务，应当依照《中华人民共和国民事诉讼法》第二百六十四条的规定，加倍支付迟延履行期间的债务利息。
案件受理费4622.50元，减半收取计2311.25元，由原告周映川负担406.25元，由被告罗成溪负担1905元。
如不服本判决，可以在判决书送达之日起十五日内，向本院递交上诉状，并按照对方当事人的人数提出副本，上诉于望川省澜江市中级人民法院。
审 判 员　　程思砚
二〇二四年八月二十日
书 记 员　　韩 冬
"""
"""A loan, in the form in use since 2016; one judge sits alone."""

WORKS = """澜江市石桥区人民法院
民事判决书
（2023）望0103民初77号
原告：澜江市启明装饰工程有限公司，住所地澜江市石桥区东港路18号，统一社会信用代码91530103MA6ABCDE1X。
法定代表人：欧阳平，总经理。
被告：白桥，女，1990年2月3日出生，彝族，住澜江市石桥区云台街道桂花巷5号。
原告澜江市启明装饰工程有限公司（以下简称启明公司）与被告白桥装饰装修合同纠纷一案，本院于2023年1月9日受理后，依法组成合议庭，于2023年3月1日公开开庭进行了审理。原告启明公司的法定代表人欧阳平到庭参加诉讼，被告白桥经传票传唤无正当理由拒不到庭参加诉讼。本案现已审理终结。
原告启明公司诉称，2022年5月，原告为被告装修房屋，工程已经交付，被告尚欠工程款60000元。请求判令：一、被告支付工程款60000元；二、被告支付违约金5000元；三、案件受理费由被告承担。
经审理查明，2022年5月10日，原、被告签订装饰装修合同，总价120000元。工程于2022年9月1日交付使用，被告已付60000元。
上述事实，有原告陈述、装饰装修合同、转账凭证等证据证实。
本院认为，原告已履行合同义务，被告应当支付剩余工程款。合同没有约定违约金，该项请求不予支持。被告经本院传票传唤无正当理由拒不到庭，可以缺席判决。依照《中华人民共和国民法典》第五百七十七条、第七百七十条，《中华人民共和国民事诉讼法》第一百四十七条之规定，判决如下：
一、被告白桥于本判决生效之日起十日内支付原告澜江市启明装饰工程有限公司工程款60000元；
二、驳回原告澜江市启明装饰工程有限公司的其他诉讼请求。
案件受理费1425元，由被告白桥负担。
如不服本判决，可在判决书送达之日起十五日内，向本院递交上诉状。
审判长 沈秋
审判员 庄敏
人民陪审员 柳叶
二〇二三年三月二十日
书记员 姜文
"""
"""A company sues somebody who stays away, in the older form (诉称 … 请求判令)."""

THEFT = """望川省澜江市青禾区人民法院
刑 事 判 决 书
（2024）望0102刑初36号
公诉机关望川省澜江市青禾区人民检察院。
被告人林海涛，男，1990年5月1日出生于望川省澜江市，汉族，初中文化，无业，住望川省澜江市青禾区柳巷3号。曾因犯盗窃罪于2018年3月被判处有期徒刑六个月，2018年8月刑满释放。因涉嫌犯盗窃罪于2024年7月2日被刑事拘留，同月15日被逮捕。现羁押于澜江市看守所。
辩护人赵宁，望川明衡律师事务所律师。
望川省澜江市青禾区人民检察院以望青检刑诉〔2024〕31号起诉书指控被告人林海涛犯盗窃罪，于2024年9月3日向本院提起公诉。本院依法适用简易程序，实行独任审判，于2024年9月20日公开开庭审理了本案。望川省澜江市青禾区人民检察院指派检察员姜文出庭支持公诉，被告人林海涛及其辩护人赵宁到庭参加诉讼。本案现已审理终结。
公诉机关指控：2024年6月30日16时许，被告人林海涛在青禾区万象商场三楼，趁被害人冯小雪不备，窃取其放在柜台上的手机一部，价值人民币3200元。案发后，被告人林海涛的家属赔偿被害人冯小雪3200元并取得谅解。
公诉机关认为，被告人林海涛的行为构成盗窃罪，系累犯，自愿认罪认罚，建议判处有期徒刑六个月至八个月，并处罚金人民币二千元。
被告人林海涛对指控的事实、罪名及量刑建议没有异议，同意适用简易程序且签字具结，在开庭审理过程中亦无异议。
辩护人赵宁提出，被告人林海涛如实供述，已赔偿被害人并取得谅解，请求从轻处罚。
经审理查明的事实与公诉机关指控的事实一致。
上述事实，有公诉机关提交，并经法庭质证、认证的受案登记表、抓获经过、价格认定结论书，证人冯大雪、陶然的证言，被害人冯小雪的陈述，监控录像，被告人林海涛的供述等证据予以证实，足以认定。
本院认为，被告人林海涛以非法占有为目的，秘密窃取他人财物，数额较大，其行为已构成盗窃罪。公诉机关指控的罪名成立，量刑建议适当，本院予以采纳。被告人林海涛系累犯，依法从重处罚；其如实供述自己的罪行，自愿认罪认罚，依法从宽处理。依照《中华人民共和国刑法》第二百六十四条、第六十五条第一款、第六十七条第三款、第五十二条，《中华人民共和国刑事诉讼法》第十五条之规定，判决如下：
被告人林海涛犯盗窃罪，判处有期徒刑七个月，并处罚金人民币二千元。
（刑期从判决执行之日起计算。判决执行以前先行羁押的，羁押一日折抵刑期一日，即自2024年7月2日起至2025年2月1日止。罚金于判决生效后十日内缴纳。）
如不服本判决，可在接到判决书的第二日起十日内，通过本院或者直接向望川省澜江市中级人民法院提出上诉。
审判员　白　桥
二〇二四年九月二十五日
书记员　柳　叶
"""
"""A theft with 认罪认罚 and a lawyer, one judge."""

ASSAULT = """澜江市石桥区人民法院
刑事判决书
（2022）望0103刑初118号
公诉机关澜江市石桥区人民检察院。
被告人阿依努尔·买买提，女，1988年10月9日出生，维吾尔族，高中文化，个体经营者，户籍所在地望川省澜江市石桥区，住澜江市石桥区东港路77号2单元301室。因本案于2021年12月1日被刑事拘留，次日被取保候审。
辩护人文海，澜江行止律师事务所律师。
澜江市石桥区人民检察院以石检刑诉〔2022〕9号起诉书指控被告人阿依努尔·买买提犯故意伤害罪、寻衅滋事罪，于2022年4月6日向本院提起公诉。本院依法组成合议庭，公开开庭审理了本案。现已审理终结。
石桥区人民检察院指控，2021年11月20日21时许，被告人阿依努尔·买买提在东港路夜市与被害人钟大力发生口角，持凳将其打伤，经鉴定为轻伤二级；又打砸摊位，造成损失2600元。
被告人阿依努尔·买买提辩称其没有打砸摊位，对寻衅滋事罪的罪名有异议，对故意伤害的事实无异议。
辩护人文海认为，指控的寻衅滋事罪证据不足。
经审理查明，2021年11月20日21时许，被告人阿依努尔·买买提与钟大力发生口角，持凳击打钟大力头部，致其轻伤二级。随后推翻摊位一处，造成损失2600元。
认定上述事实的证据有：
1.被害人钟大力的陈述，证实被打的经过；
2.证人孟春、夏至的证言，证实打砸摊位的经过；
3.法医学人体损伤程度鉴定书，证实钟大力损伤为轻伤二级；
4.现场勘验笔录及照片。
本院认为，被告人阿依努尔·买买提故意伤害他人身体，致一人轻伤，其行为已构成故意伤害罪；任意损毁他人财物，情节严重，其行为又构成寻衅滋事罪，应数罪并罚。辩护人关于证据不足的意见与查明的事实不符，不予采纳。依照《中华人民共和国刑法》第二百三十四条第一款、第二百九十三条第一款第（三）项、第六十九条、第七十二条的规定，判决如下：
一、被告人阿依努尔·买买提犯故意伤害罪，判处有期徒刑八个月；犯寻衅滋事罪，判处有期徒刑七个月；决定执行有期徒刑一年，缓刑二年。
二、责令被告人阿依努尔·买买提退赔被害人损失人民币2600元。
如不服本判决，可在接到判决书的第二日起十日内提出上诉。
审判长 沈秋
人民陪审员 庄敏
人民陪审员 秦岭
二〇二二年六月三十日
书记员 姜文
"""
"""Two crimes, one of them denied; three judges; no days of hearing."""


def as_docx(text: str) -> bytes:
    """A docx of one paragraph a line."""
    import zipfile
    from html import escape
    from io import BytesIO

    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    paragraphs = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in text.splitlines())
    document = f'<?xml version="1.0"?><w:document xmlns:w="{space}"><w:body>{paragraphs}</w:body></w:document>'
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", document)
    return stream.getvalue()


def as_html(text: str) -> bytes:
    """A page with a menu and a foot around the judgment."""
    from html import escape

    lines = "".join(f"<p style='text-indent:2em'>&#12288;{escape(line)}</p>\n" for line in text.splitlines())
    menu = "<div><a href='/'>首页</a> <a href='/list'>裁判文书</a></div><script>var 判决如下 = 1;</script>"
    page = (
        f"<html><head><meta charset='utf-8'><title>判决书</title></head><body>{menu}<div>{lines}</div><div>版权所"
        f"有</div></body></html>"
    )
    return page.encode("utf-8")


def as_pdf(text: str, width: int = 37) -> bytes:
    """A PDF whose lines are cut at `width` characters, with page numbers; its font maps codes to Unicode and holds no
    shapes."""
    lines = [
        line[start : start + width] for line in text.splitlines() for start in range(0, max(1, len(line)), width)
    ]
    pages = [lines[start : start + 30] for start in range(0, len(lines), 30)]
    signs = sorted(set("".join(lines)) | set("0123456789—"))
    maps = "".join(f"<{ord(sign):04X}> <{ord(sign):04X}>\n" for sign in signs)
    blocks = [maps.splitlines()[start : start + 100] for start in range(0, len(signs), 100)]
    chars = "".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n" for block in blocks)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{chars}endcmap end end"
    )
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{6 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 "
        "R >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 1000 /CIDSystemInfo << /Registry (A) /Ordering (B) "
        "/Supplement 0 >> >>",
        f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
    ]
    for number, page in enumerate(pages, 1):
        shown = [*page, f"— {number} —"]
        words = "".join(
            f"1 0 0 1 40 {800 - 20 * place} Tm <{line.encode('utf-16-be').hex()}> Tj\n"
            for place, line in enumerate(shown)
        )
        content = f"BT /F 12 Tf\n{words}ET"
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> /Contents "
            f"{5 + 2 * number} 0 R >>"
        )
        bodies.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    made = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(made)
    tail = (
        f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{rows}trailer << /Size {len(bodies) + 1} /Root 1 0 R "
        f">>\nstartxref\n{start}\n%%EOF"
    )
    return made + tail.encode()


def day(value: date | None) -> str:
    """2024年8月20日."""
    return f"{value.year}年{value.month}月{value.day}日" if value else ""


def day_in_han(value: date) -> str:
    """二〇二四年八月二十日, as it stands below a judgment."""
    digits = "〇一二三四五六七八九"

    def number(n: int) -> str:
        tens = "" if n < 10 else "十" if n < 20 else f"{digits[n // 10]}十"
        return tens + (digits[n % 10] if n % 10 or n == 0 else "")

    return f"{''.join(digits[int(sign)] for sign in str(value.year))}年{number(value.month)}月{number(value.day)}日"


def as_judgment(case: CivilCase | CriminalCase) -> str:
    """A case of the sample as the judgment that a court would have published."""
    court, laws = case.court, "、".join(law.chinese for law in case.gold.laws)
    head, body, appeal = _civil(case) if isinstance(case, CivilCase) else _criminal(case)
    facts = "\n".join(fact.text for fact in case.facts if fact.gold)
    bench = [("审判长" if court.panel else "审判员", court.presiding.name if court.presiding else "")]
    bench += [(member.title, member.name) for member in court.panel]
    assert case.dates.judged
    return "\n".join([
        court.name, "民事判决书" if isinstance(case, CivilCase) else "刑事判决书", court.docket, head,
        body.format(facts=facts),
        f"本院认为，{case.gold.reason.strip()}依照{laws}的规定，判决如下：", *case.gold.judgment, appeal,
        *(f"{title} {name}" for title, name in bench), day_in_han(case.dates.judged), f"书记员 {court.clerk}",
    ])  # fmt: skip


def _civil(case: CivilCase) -> tuple[str, str, str]:
    people = dict(zip(("原告", "被告"), case.parties, strict=True))
    lines, shown = [], []
    for role, party in people.items():
        told = (
            f"{party.gender}，{day(party.birth_date)}出生，{party.ethnicity}，{party.occupation}，住{party.address}。"
        )
        if party.kind == "company":
            told = f"住所地{party.address}。\n法定代表人：{party.representative}，{party.representative_title}。"
        lines.append(f"{role}：{party.name}，{told}")
        if party.counsel:
            lines.append(f"委托诉讼代理人：{party.counsel.name}，{party.counsel.firm}律师。")
        own = [exhibit for exhibit in case.evidence if exhibit.owner == party.id]
        items = "；".join(f"{number}.{exhibit.title}，{exhibit.purpose}" for number, exhibit in enumerate(own, 1))
        shown += [f"{role}{party.name}为证明其主张，向本院提交了以下证据：{items}。"] if own else []
    names = [f"{role}{party.name}" for role, party in people.items()]
    lines.append(
        f"{names[0]}与{names[1]}{case.cause}一案，本院于{day(case.dates.filed)}立案后，"
        f"依法适用{case.court.procedure}，"
        f"于{day(case.dates.proceeding)}公开开庭进行了审理。本案现已审理终结。"
    )
    claims = "；".join(f"{number}.{claim.text}" for number, claim in enumerate(case.claims, 1))
    story = case.complaint.strip().replace("\n", "")
    body = [
        f"{names[0]}向本院提出诉讼请求：{claims}。事实和理由：{story}",
        f"{names[1]}辩称，{case.answer.strip()}",
        *shown,
    ]
    return (
        "\n".join(lines),
        "\n".join([*body, "经审理查明，{facts}"]),
        "如不服本判决，可以在判决书送达之日起十五日内上诉。",
    )


PLEAS = {
    "guilty": "对指控的犯罪事实和罪名没有异议，自愿认罪",
    "partial": "对指控的部分事实提出异议",
    "not_guilty": "否认指控，辩称其不构成犯罪",
}


def _criminal(case: CriminalCase) -> tuple[str, str, str]:
    (accused,), told = case.parties, case.criminal
    office, names = told.prosecution, "、".join(charge.name for charge in told.charges)
    custody = "，".join(f"于{day(one.since)}被{one.measure}" for one in told.custody)
    record = "" if told.record in ("", "无") else f"曾因{told.record.rstrip('。')}。"
    assert accused.counsel
    head = (
        f"公诉机关{office.name}。\n被告人{accused.name}，{accused.gender}，"
        f"{day(accused.birth_date)}出生于{accused.birthplace}，{accused.ethnicity}，"
        f"{accused.education}，{accused.occupation}，住{accused.address}。{record}因涉嫌犯{names}{custody}。\n"
        f"辩护人{accused.counsel.name}，{accused.counsel.firm}律师。\n"
        f"{office.name}以{office.indictment_no}起诉书指控被告人{accused.name}犯{names}，"
        f"于{day(case.dates.filed)}向本院提起公诉。本院依法适用{case.court.procedure}，"
        f"于{day(case.dates.proceeding)}公开开庭审理了本案。{office.name}指派检察员{office.prosecutor}出庭支持公诉。"
        f"现已审理终结。"
    )
    request = f"公诉机关{told.request.text}。\n" if told.request else ""
    signed = "，并签署了认罪认罚具结书" if told.plea.signed else ""
    listed = "；\n".join(
        f"{number}.{exhibit.title}，{exhibit.purpose}" for number, exhibit in enumerate(case.evidence, 1)
    )
    body = (
        f"公诉机关指控：{told.indictment.strip()}\n公诉机关认为，{told.opinion.strip()}\n"
        f"{request}被告人{accused.name}{PLEAS[told.plea.stance]}{signed}。\n"
        f"辩护人{accused.counsel.name}提出，{told.defence_opinion.strip()}\n经审理查明，{{facts}}\n"
        f"认定上述事实的证据有：\n{listed}。"
    )
    return head, body, "如不服本判决，可在接到判决书的第二日起十日内提出上诉。"
