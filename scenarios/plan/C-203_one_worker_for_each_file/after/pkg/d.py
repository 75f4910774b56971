def get_four():
    return 4
