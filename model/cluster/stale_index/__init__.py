"""The controller's index of eligible leader replicas, if min.insync.replicas changes."""
