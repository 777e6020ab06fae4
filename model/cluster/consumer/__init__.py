"""A consumer that reads only committed records, and finds the leader by its metadata."""
