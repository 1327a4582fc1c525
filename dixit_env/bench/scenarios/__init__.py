"""Frozen scenarios, after Melting Pot: how an agent does among others at a dozen kinds of table."""
