"""State graphs: every state and every step, as arrays, as a data set, and what Spark SQL answers about them."""
