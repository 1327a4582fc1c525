"""Players: scripted, CLIP, language models, learned, human. They see views and return decisions."""
