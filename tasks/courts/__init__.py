"""The courts: advice, drafting and trials played by seats, from case files with fictional people under real law."""
