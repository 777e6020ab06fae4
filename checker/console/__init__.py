"""What the command shows and how: results, progress, the text of checks, and the options that commands share."""
