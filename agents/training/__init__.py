"""Agents that learn by playing: PPO with self-play, a league of past selves and scripted opponents, all as tensors."""
