"""A consumer that reads only what is committed, and follows the leader by its metadata."""
