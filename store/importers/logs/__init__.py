"""Reading the run logs that LegalAgentBench published: lines, calls, observations, and what they prove together.

One module a step: `reading` finds the lines the harness wrote, `calls` reads what was asked, `literal` reads what the
tool printed, `harvest` puts the pieces together and counts every disagreement. All sizes are counted in characters.
"""
