LIMIT = 9


def allowed(count):
    return count <= LIMIT
