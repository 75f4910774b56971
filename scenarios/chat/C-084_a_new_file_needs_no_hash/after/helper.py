def twice(number):
    return number * 2
