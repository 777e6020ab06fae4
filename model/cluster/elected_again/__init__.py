"""A leader that is elected again before it has heard that another one was elected."""
