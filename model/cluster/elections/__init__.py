"""Who is elected, by which controller, and when a leader gives up its office."""
