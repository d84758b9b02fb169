"""Output for people: tables, plots, explanations and the HTML report."""
