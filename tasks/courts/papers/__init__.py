"""Court papers of a stored episode: transcript, judgment, complaint, answer. Nothing here judges, no gold is read.

One description (`paper`), built from what was said and from the heads of the case file (`made`), and three renderers
(`forms`).
"""
