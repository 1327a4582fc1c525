"""Agents at a table: playing a game, its events, records, log and picture."""
