import os
import requests_missing
from typing import List

def area(side: int) -> int:
    naïve = "é😀"; return side + "two"

print(undefined_name)
area("x", 2)
value: int = "é"; other: str = 3
class Box:
    def size(self) -> int: return None
if value == None: pass
