"""From words on the command line to what they stand for: commands with their options, experiments."""
