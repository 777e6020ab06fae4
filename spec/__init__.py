"""What must hold: invariants and examples, written against the records alone.

Nothing here calls a function of `impl`, so that an invariant shares no bug with the code it judges; `spec/README.md`
says where each comes from and which models it holds in.
"""
