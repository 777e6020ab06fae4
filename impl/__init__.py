"""The executable reference: what Kafka does.

Every choice that a broker, a controller or a client makes is a plain function over records of small integers. Nothing
here knows of bounds, searches or properties; `impl/README.md` maps each function to Kafka's classes.
"""
