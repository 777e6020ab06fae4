"""A raise of min.insync.replicas with eligible leader replicas."""
