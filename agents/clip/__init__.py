"""How a CLIP agent thinks: what listeners believe, what a move is worth, what the race to the target makes of it.

Similarities enter as z-scores over the deck (`voter_kinds.z_scores`): how far a card stands out for a clue. A voter is
a mixture over a grid of kinds (`voter_kinds`), from blind chance to the argmax; a storyteller over a grid of plainness
(`storyteller`). What is learned of each seat from the reveals is a posterior over these grids (`player_models`).
"""
