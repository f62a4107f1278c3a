"""Who sits in the seats of a court: rules, people, models, and the references `gold` and `echo`."""
