"""The quorum that keeps the metadata log: elections, restarts, lost disks, network partitions."""
