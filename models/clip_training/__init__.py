"""How the project's own CLIPs are made: texts and their teachers, cards, the two training stages, the evaluation."""
