class A:
    def f(self):
        é = "x" "y" 3 + )
