LIMIT = 7


def allowed(count):
    return count <= LIMIT


def refused(count):
    return count > LIMIT
