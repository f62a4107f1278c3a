"""Policies: who decides in a seat. A policy sees a View, yields events and Asks, and returns one Action."""
