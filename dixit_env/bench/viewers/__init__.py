"""Do people understand the bots: sheets and tables of pictures for viewers, and what they answer."""
