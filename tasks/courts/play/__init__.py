"""An episode of a court: who speaks, whom it reaches, what the record makes of it, what may be looked up."""
