"""The quorum that keeps the metadata log: elections, restarts, lost disks, a network that is cut."""
