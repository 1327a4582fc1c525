"""Decks that come with the package, and `maker`, which makes more."""
