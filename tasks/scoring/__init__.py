"""Scorers: pure functions from what an episode came to and its gold to numbers between 0 and 1.

`compat` rules reproduce a published metric bit for bit, `strict` rules are the ones we would defend in front of a
lawyer.
"""
