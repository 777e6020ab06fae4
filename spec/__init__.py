"""What must hold: invariants and examples, written against the records alone.

Nothing here calls a function of `impl`, so that an invariant shares no bug with the code it judges.
`spec/PROPERTIES.md` says which models check it.
"""
