"""Which words of a question carry its matter: stop words leave, words of the law come first.

Two tables written for this project: what people say around a question (请问, 怎么办, 背诵, 条文), and what makes a
word one of the law: its ending (…罪, …权, …责任) or its place in a short list.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    """的 了 在 是 我 你 您 他 她 它 我们 你们 他们 她们 它们 有 和 与 及 或 而 但 但是 就 也 都 还 又 再 不 没 没有 无 之 其 此 该 这 那 这个 那个
    这些 那些 这样 那样 这种 那种 这里 那里 一个 一些 一下 一种 某 某某 各 每 个 位 名 件 份 把 被 让 给 对 对于 关于 于 从 到 至 由 由于 向 往 为 为了 以
    以及 并 并且 因 因为 所以 因此 如 如果 假如 若 若是 倘若 虽然 然而 不过 只 只有 只是 只要 即 即使 则 且 等 等等 吗 呢 吧 啊 呀 么 嘛 哪 哪个 哪些 哪里
    什么 怎么 怎样 怎么办 怎么样 如何 为什么 为何 多少 几 是否 能 能否 能不能 可以 可不可以 会 会不会 要 要不要 需要 需不需要 应 应该 应当 必须 得 想 想要
    请 请问 请教 谢谢 大家 知道 现在 目前 当前 如今 时候 时 后 前 中 上 下 里 内 外 间 之间 之后 之前 以后 以前 其中 其他 其它 另 另外 已 已经 正在 曾 曾经
    将 将要 来 去 出 过 着 得到 进行 有关 相关 根据 依照 依据 按照 有效 适用 施行 问题 情况 情形 下列 以下 上述 哪一项 哪项 正确 错误 说法 选项 回答 答案 给出 指令
    用户 提问 作为 专家 法律专家 复述 背诵 默写 陈述 描述 回忆 提供 写出 准确 完整 详细 具体 直接 全部 全文 内容 条文 条款 法条 法律条文 原文 规定 是什么 有没有
    有哪些 就是 还是 或者 比如 例如 然后 而且 的话 一直 一般 自己 本人 别人 对方 今年 去年 当时 那时 属于 作出 做 说 看 问 找 条 款 项 编 章 节 年 月 日 号 元 法""".split()
)
"""Words that say nothing about the matter of a question."""

FRAME_WORDS = frozenset(
    "时间 背景 案件 事实 一项 几项 首先 对应 法律依据 某日 主要 包括 任何 可能 审理 查明 时许 指控 认为".split()
)
"""Words of the frame of exam questions and judgments: they rank no worse than others but are no keywords."""

LEGAL_WORDS = frozenset(
    """合同 借款 债权 债务 侵权 赔偿 补偿 违约 违约金 定金 订金 押金 担保 抵押 质押 留置 保证 保证人 连带 时效 诉讼 诉讼时效 仲裁 管辖 起诉 上诉 申诉 再审 执行
    强制执行 保全 先予执行 送达 证据 举证 回避 代理 委托 授权 法人 自然人 监护 监护人 收养 婚姻 结婚 离婚 抚养 抚养费 扶养 赡养 彩礼 继承 遗嘱 遗产 遗赠 财产 物权
    所有权 共有 相邻 租赁 承租 买卖 赠与 承揽 运输 保管 居间 中介 合伙 公司 股东 股权 破产 清算 劳动 劳动者 劳动合同 用人单位 工资 加班 加班费 工伤 社会保险 试用期
    辞退 解除 终止 经济补偿 竞业 行政处罚 行政许可 行政复议 行政强制 罚款 拘留 吊销 没收 许可 征收 征用 国家赔偿 犯罪 刑罚 量刑 自首 立功 累犯 缓刑 假释 减刑 主犯
    从犯 共同犯罪 未遂 中止 预备 正当防卫 紧急避险 数罪并罚 死刑 无期徒刑 有期徒刑 拘役 管制 罚金 逮捕 取保候审 监视居住 公诉 自诉 辩护 辩护人 被告人 犯罪嫌疑人
    被害人 受害人 故意 过失 盗窃 抢劫 诈骗 抢夺 侵占 敲诈勒索 贪污 受贿 行贿 挪用 伤害 杀人 强奸 绑架 拐卖 走私 贩卖 毒品 赌博 放火 爆炸 醉驾 危险驾驶 交通肇事 肇事
    逃逸 逃税 偷税 发票 专利 商标 著作权 版权 商业秘密 不正当竞争 垄断 消费者 经营者 产品 食品安全 医疗 环境 污染 土地 房屋 不动产 登记 拆迁 宅基地 承包 票据 保险
    证券 信托 税收 海关 专利权 名誉 隐私 个人信息 肖像 姓名权 精神损害 无效 撤销 欺诈 胁迫 重大误解 显失公平 不当得利 无因管理 善意 善意取得 追偿 代位 处罚 责任""".split()
)
"""Words of the law whose ending does not show it."""

LEGAL_ENDINGS = tuple(
    "罪 权 权利 权益 义务 责任 诉讼 赔偿 合同 犯 刑 费 金 权人 债 保险 登记 程序 期限 处分 制度 行为 机关 法院".split()
)
"""Endings that words of the law have."""


def is_legal(word: str) -> bool:
    """Whether a word is one of the law."""
    return word in LEGAL_WORDS or (len(word) > 2 and word.endswith(LEGAL_ENDINGS))
