def salute(name):
    return "Hey " + name
