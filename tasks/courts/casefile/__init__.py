"""Case files: what a case holds, who may see which part, how files of all layouts are read."""
