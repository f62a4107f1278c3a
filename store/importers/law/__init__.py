"""Statutes as people publish them: Markdown, plain text, JSON, the files of LegalSearch-R1.

Each format is a module with `import_pack`; `assembling` lays the versions of a law beside each other where texts
leave that open, and `writing` alone touches a pack.
"""
