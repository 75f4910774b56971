def get_two():
    return 2
