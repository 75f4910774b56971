LIMIT = 5


def allowed(count):
    return count <= LIMIT


def refused(count):
    return count > LIMIT
