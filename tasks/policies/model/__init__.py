"""What the model policies of LegalAgentBench share: choosing tables, cards, reading replies, conversations, answers.

Three modes. lean (the default): one call a step, the reply is one JSON object under a schema, the prompt only grows at its
end. free: the same calls, replies in free text read by the forgiving parser. paper: the published call structure.
"""
