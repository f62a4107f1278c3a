"""What is known (corpus packs) and what happened (journals of runs). This room knows no other room."""
