"""The weightless baseline of LegalAgentBench: plans over the tool graph with rules and word tables, no model.

Every vocabulary is a table of general legal and business Chinese; no question, task or name is known here. Names come
from the pack's own columns (`NameIndex`), everything else from the question and from what the tools answered.
"""
