def load():
    return {}["key"]

try:
    load()
except KeyError as e:
    raise RuntimeError("cannot load") from e
