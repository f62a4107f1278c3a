"""Examinations of other public benchmarks (LawBench, LexEval, DISC-Law-Eval), imported in their own layouts."""
