LIMIT = 5


def allowed(count):
    return count <= LIMIT
