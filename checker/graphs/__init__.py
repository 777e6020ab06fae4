"""State graphs: every state and every step, as arrays, as a data set, and queries on them by Spark SQL."""
