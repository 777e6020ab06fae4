"""From the typed form to machine code: loops over packed states, through LLVM, and the cache of what was compiled."""
