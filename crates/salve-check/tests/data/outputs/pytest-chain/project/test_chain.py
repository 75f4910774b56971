def load():
    return {}["key"]

def test_chain():
    try:
        load()
    except KeyError as error:
        print("seen é")
        raise ValueError("not\nloaded") from error
