"""Episodes: events, their fold, what a move may be, one driver an episode and one scheduler for all."""
