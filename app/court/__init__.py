"""What the desk shows of a court: transcript, programme of the hearing, case file, exhibits and draft, without widgets."""
