import not_there

def test_a(): pass
