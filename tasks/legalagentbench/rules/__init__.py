"""The rules agent of LegalAgentBench: names by index, a search over the planning tree, a walk through the tools."""
