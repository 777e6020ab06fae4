"""A broker's life with a KRaft controller: registration, heartbeats, fencing and controlled shutdown."""
