"""Court procedure as data and pure functions: stages, duties, speech acts, exhibits, and the scores of procedure
following."""
