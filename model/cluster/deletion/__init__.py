"""Topics that are deleted, and topics of the same name that are created afterwards."""
