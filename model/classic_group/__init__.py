"""Consumer groups by the classic protocol: joining, syncing, generations, static members, and who owns what."""
