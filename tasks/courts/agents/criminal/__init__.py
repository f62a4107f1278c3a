"""Criminal trials of first instance by rules: the bench, prosecution, defence and the accused."""
