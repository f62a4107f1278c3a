"""The desk: one Textual app, one folder a screen, what screens share beside them."""
