"""A leader that replays a change which it knows already, while another one is under way."""
