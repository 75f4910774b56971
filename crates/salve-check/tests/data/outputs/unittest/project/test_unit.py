import unittest

class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(1 + 1, 3)

    def test_error(self):
        raise KeyError("é")

    def test_sub(self):
        for i in range(2):
            with self.subTest(i=i):
                self.assertEqual(i, 0)

if __name__ == "__main__":
    unittest.main()
