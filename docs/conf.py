"""How the documentation site is built from the Markdown beside this file: `make docs`, result in site/.

Sphinx with MyST and Furo, because all three are kept well, the search index is a script (it works from file://, where
browsers refuse to fetch JSON), and nothing of theirs is loaded from elsewhere: no fonts, no scripts, no styles.
"""

import jieba

jieba.setLogLevel("WARNING")  # words for the search index; it would print its progress

project = "Moot 模拟法庭评测台"
language = "zh_CN"
extensions = ["myst_parser"]
myst_heading_anchors = 4
exclude_patterns = ["screens"]
highlight_language = "text"
html_theme = "furo"
html_static_path = ["_static"]
html_js_files = ["words.js"]
html_title = project
html_copy_source = False
html_show_copyright = False
html_theme_options = {"footer_icons": [], "navigation_with_keys": True}
