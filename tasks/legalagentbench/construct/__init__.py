"""Makes LegalAgentBench tasks from any corpus: plans over the tree of tools, followed over real rows."""
