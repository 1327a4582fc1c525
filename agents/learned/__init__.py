"""The learned agent and the shortlist of clues from which it chooses."""
