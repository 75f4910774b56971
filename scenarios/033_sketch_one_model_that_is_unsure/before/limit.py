LIMIT = 5
assert LIMIT == 7
