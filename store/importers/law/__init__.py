"""Readers of statutes as people publish them: Markdown, plain text, JSON. Each gives `ParsedLaw`, one a version.

`markdown`, `plaintext` and `jsonfile` are import formats (each has `import_pack`); `assembling` lays the versions of
a law beside each other, `writing` is the only module that touches a pack.
"""
