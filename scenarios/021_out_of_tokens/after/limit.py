LIMIT = 7
assert LIMIT == 7
