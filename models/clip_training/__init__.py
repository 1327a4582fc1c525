"""How the embedded CLIP is made: texts and their teachers, cards, the two training stages, the evaluation."""
