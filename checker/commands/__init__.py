"""The command line: what each command reads, does and prints."""
