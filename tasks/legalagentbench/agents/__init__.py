"""The methods of LegalAgentBench (paper §5): ReAct, Plan-and-Solve, Plan-and-Execute, a direct answer, and what they
share.

Four modes. lean (the default): one call a step, the reply is one JSON object under a schema, the prompt only grows at
its end. native (react alone): tools are called in the form that the model was trained with. free: the same calls,
replies in free text read by the forgiving parser. paper: the published call structure.
"""
