"""Words of `moot doctor`, until the interface tables hold them."""

from __future__ import annotations

import os

WORDS: dict[str, tuple[str, str]] = {
    "doctor.title": ("模拟法庭评测台 自检", "Moot, a look at this machine"),
    "doctor.area.program": ("程序", "Program"),
    "doctor.area.data": ("数据", "Data"),
    "doctor.area.models": ("模型", "Models"),
    "doctor.area.terminal": ("终端", "Terminal"),
    "doctor.area.offline": ("离线", "Offline"),
    "doctor.python": ("Python", "Python"),
    "doctor.python.hint": ("需要 3.11 或更高版本", "3.11 or newer is needed"),
    "doctor.sqlite": ("SQLite 全文检索", "SQLite full text search"),
    "doctor.sqlite.hint": (
        "需要带 FTS5 和 trigram 的 SQLite 3.37 以上；请换用官方 Python 安装包",
        "SQLite 3.37 or newer with FTS5 and trigram is needed; use a Python from python.org",
    ),
    "doctor.libraries": ("依赖库", "Libraries"),
    "doctor.libraries.missing": ("缺少 {names}", "missing: {names}"),
    "doctor.libraries.hint": ("运行 pip install -e . 重新安装", "install again with pip install -e ."),
    "doctor.home": ("数据目录", "Data folder"),
    "doctor.home.free": ("{path}，可写，剩余 {free}", "{path}, writable, {free} free"),
    "doctor.home.closed": ("{path} 不可写", "{path} cannot be written"),
    "doctor.home.hint": ("用环境变量 MOOT_HOME 指定一个可写目录", "name a writable folder in MOOT_HOME"),
    "doctor.home.full": ("磁盘空间不足 200 MB，长评测可能中断", "under 200 MB left: a long run may stop"),
    "doctor.packs": ("数据包", "Packs"),
    "doctor.packs.none": ("还没有数据包", "none yet"),
    "doctor.packs.hint": (
        "运行 moot data build sample 生成虚构示例数据包",
        "build the fictional sample: moot data build sample",
    ),
    "doctor.packs.broken": ("{name} 打不开：{reason}", "{name} does not open: {reason}"),
    "doctor.packs.broken.hint": (
        "运行 moot data verify {name} 查看损坏之处，再重新导入",
        "see what is damaged with moot data verify {name}, then import it again",
    ),
    "doctor.pack": (
        "{name}（{rows} 行，{documents} 篇文档，{tasks} 题）",
        "{name} ({rows} rows, {documents} documents, {tasks} tasks)",
    ),
    "doctor.runs": ("评测记录", "Runs"),
    "doctor.runs.count": ("{n} 份", "{n}"),
    "doctor.models": ("模型文件", "Model files"),
    "doctor.models.none": ("无；规则策略不需要模型", "none; the rules policies need none"),
    "doctor.llama": ("llama.cpp", "llama.cpp"),
    "doctor.llama.none": ("未安装（可选）", "not installed (optional)"),
    "doctor.llama.hint": ("要用本地 GGUF 模型时运行 make llm", "for local GGUF models: make llm"),
    "doctor.compiler": ("编译器", "Compiler"),
    "doctor.compiler.none": ("没有找到（可选）", "none found (optional)"),
    "doctor.compiler.hint": (
        "只有安装 llama.cpp 时需要：Linux 装 gcc g++，macOS 运行 xcode-select --install，Windows 装 Build Tools",
        "only llama.cpp needs one: gcc g++ on Linux, xcode-select --install on macOS, Build Tools on Windows",
    ),
    "doctor.screen": ("窗口", "Window"),
    "doctor.screen.none": ("输出不是终端", "the output is no terminal"),
    "doctor.screen.small": ("{columns}x{lines}，偏小", "{columns}x{lines}, small"),
    "doctor.screen.hint": ("界面按 80x24 以上设计", "the desk is made for 80x24 and more"),
    "doctor.encoding": ("编码", "Encoding"),
    "doctor.encoding.hint": (
        "请使用 UTF-8 环境，例如 LANG=zh_CN.UTF-8 或 PYTHONUTF8=1",
        "use a UTF-8 environment, such as LANG=C.UTF-8 or PYTHONUTF8=1",
    ),
    "doctor.colour": ("颜色", "Colour"),
    "doctor.colour.true": ("真彩色", "true colour"),
    "doctor.colour.many": ("256 色", "256 colours"),
    "doctor.colour.few": ("16 色", "16 colours"),
    "doctor.colour.none": ("无", "none"),
    "doctor.colour.hint": ("TERM 未设置或为 dumb，界面可能打不开", "TERM is unset or dumb: the desk may not open"),
    "doctor.language": ("界面语言", "Language"),
    "doctor.language.value": ("{name}（MOOT_LANG 可切换）", "{name} (MOOT_LANG switches it)"),
    "doctor.fonts": ("中文字体", "Chinese fonts"),
    "doctor.fonts.count": ("{n} 种，例如 {name}", "{n}, such as {name}"),
    "doctor.fonts.unknown": ("无法查询", "cannot be asked here"),
    "doctor.fonts.none": ("本机没有中文字体", "none on this machine"),
    "doctor.fonts.hint": (
        "汉字若显示为方框，请安装中文等宽字体，例如 Noto Sans Mono CJK SC",
        "if Chinese shows as boxes, install a monospaced Chinese font such as Noto Sans Mono CJK SC",
    ),
    "doctor.offline": ("联网拦截", "Network guard"),
    "doctor.offline.proof": (
        "试连 {target}（保留的测试地址）已被拦下，没有发出任何数据",
        "a try to reach {target}, a reserved test address, was refused; nothing was sent",
    ),
    "doctor.offline.open": ("拦截没有生效", "the guard did not refuse"),
    "doctor.offline.hint": (
        "这是程序错误，请报告；此前请断网使用",
        "this is a fault of Moot: report it, and unplug the network until then",
    ),
    "doctor.ready": ("可以使用。下一步：moot demo", "Ready. Next: moot demo"),
    "doctor.broken": ("有必需项未通过，见上面的 ✘", "Something essential is missing: see ✘ above"),
}


def language() -> str:
    """`zh` or `en`."""
    return "en" if os.environ.get("MOOT_LANG", "zh").startswith("en") else "zh"


def t(key: str, **values: object) -> str:
    """The word of a key in the current language."""
    return WORDS[key][language() == "en"].format(**values)
