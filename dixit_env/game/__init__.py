"""The game itself: rules, moves, scoring, the turn engine, views. Pure values and functions, no I/O."""
