"""Where agents are compared: tournaments with paired deals, ratings, intervals and readable reports."""
