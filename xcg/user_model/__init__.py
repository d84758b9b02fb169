"""User models: what a user wants to read, and how the user reads."""
