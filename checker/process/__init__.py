"""What any program needs of the system: files, caches, memory, signals, threads, errors and exit statuses."""
