"""The clue bank and how well its clues fit the cards of a deck."""
