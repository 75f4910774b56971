def salute(name):
    return "Good day, " + name
