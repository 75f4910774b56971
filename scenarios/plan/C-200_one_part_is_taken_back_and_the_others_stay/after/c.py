def three():
    return 30
