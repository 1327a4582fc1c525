"""The languages of the game's texts, captions, clues and pages."""

LANGUAGES = ("en", "pt", "es", "da")
