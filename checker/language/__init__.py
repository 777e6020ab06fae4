"""The plain subset: read, checked, typed, and brought into the form from which every compiled reading is made."""
