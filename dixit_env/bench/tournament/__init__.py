"""Tournaments: schedule, ratings, standings, report."""
