"""A court episode as it stands: programme, transcript, file, exhibits, draft."""
