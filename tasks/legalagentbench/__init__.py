"""LegalAgentBench: 300 questions over 14 tables and 3 document corpora, answered with 37 tools.

tools.py is the toolbox (mathematics.py its calculators), replay.py the proof that it behaves as the published runs
recorded, parser.py reads what a model writes as an action, questions.py reads task files. Behaviour follows the
published run logs, not the published code, which differs from them.
"""
