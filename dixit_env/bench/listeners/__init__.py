"""The listener benchmark: rounds that people played, listeners, report."""
