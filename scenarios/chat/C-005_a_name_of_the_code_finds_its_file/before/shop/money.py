def total_price(order):
    return sum(order)
