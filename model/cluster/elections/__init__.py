"""The order of elections, replaced controllers, and leaders that shut down."""
