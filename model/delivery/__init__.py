"""Delivery: which records the applications of a group process, once, more than once or not at all."""
