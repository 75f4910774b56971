def get_one():
    return 1
