def get_three():
    return 3
