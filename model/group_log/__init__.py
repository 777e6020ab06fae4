"""The log of a group, which is compacted while a coordinator reads it."""
