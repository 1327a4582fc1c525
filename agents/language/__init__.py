"""Language models as players, behind OpenAI-compatible endpoints."""
