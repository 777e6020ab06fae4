"""From the typed form to machine code: loops over packed states, through LLVM, and the search that runs them."""
