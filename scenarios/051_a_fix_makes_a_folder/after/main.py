from helpers.total import total

assert total([1, 2]) == 3
