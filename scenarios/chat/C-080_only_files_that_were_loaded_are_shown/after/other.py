def other():
    return 'zebra-7431'
