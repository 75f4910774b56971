LIMIT = 7


def allowed(count):
    return count <= LIMIT
