"""The clue benchmark: deals, tables, panels, scoring, figures, report."""
