"""The game as environments for reinforcement learning.

`aec` and `parallel` (PettingZoo), `solo` (Gymnasium, one seat), `batch` (thousands of games as torch tensors), `vector`
(gymnasium.vector) and `torchrl`. Moves as integers and views as arrays are defined in one place, `spaces`.
"""
