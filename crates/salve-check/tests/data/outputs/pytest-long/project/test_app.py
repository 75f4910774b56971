import pytest
import warnings

def divide(a, b):
    return a / b

def test_ok():
    assert divide(4, 2) == 2

def test_wrong():
    left = {"a": 1}
    assert left == {"a": 2}, "dicts differ"

def test_raises():
    divide(1, 0)

@pytest.mark.parametrize("n", [1, 2])
def test_param(n):
    assert n == 1

class TestBox:
    def test_inner(self):
        with pytest.raises(ValueError):
            pass

@pytest.fixture
def broken():
    raise RuntimeError("no database")

def test_fixture(broken):
    assert True
