"""A partition that has lost its brokers, and is to be given to others."""
