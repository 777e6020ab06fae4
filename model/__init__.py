"""The catalogue: which closed finite systems are checked, at which bounds, and what must come out.

Each module here that defines `MODEL` is a catalogue model of that name. `expected.toml` pins what a check of it finds.
"""
