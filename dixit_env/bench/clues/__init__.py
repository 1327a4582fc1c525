"""The clue benchmark: decisions (benchmark), who votes (panels), what clues score (judging), figures, report."""
