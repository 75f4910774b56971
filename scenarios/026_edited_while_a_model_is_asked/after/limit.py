# The limit of the day.
LIMIT = 7
assert LIMIT == 7
