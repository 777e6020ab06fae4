"""What an edit of the sources does: which models it reaches, and how their steps and verdicts change."""
