def three():
    return 3
# MARK OF C
