"""Does a transaction end as decided, whatever happens to its coordinator?"""
