"""Pictures: traces as chains and as lanes, whole state graphs, DOT and SVG."""
