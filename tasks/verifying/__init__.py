"""Tasks that people verify: accept, correct or reject, twice and blind, before a task file is published."""
