"""Do transactions of versions 1 and 2 keep their promises side by side?"""
