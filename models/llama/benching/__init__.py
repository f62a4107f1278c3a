"""Measurements of local models: what the engine costs beside plain llama.cpp calls, in the same run on the same
machine."""
