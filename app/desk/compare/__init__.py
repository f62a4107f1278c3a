"""Compare: two runs of the same tasks, measure by measure, task by task, step by step."""
