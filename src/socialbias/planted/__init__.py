"""Corpora with planted associations: text whose bias is known because it was written so."""
