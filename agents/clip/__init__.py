"""How a CLIP agent thinks: what listeners believe, what a move is worth, what the race to the target makes of it.

Similarities enter as z-scores (`standard`): how far a card stands out from the deck for a clue. A person or bot who
chooses among cards is a mixture over a grid of sharpness (`sharpness`): a softmax from blind chance to the argmax.
"""
