# Compiles the files named as arguments and says what Python says about those that do not compile.
# Nothing of them is executed and nothing is written.
import sys
import traceback

failed = 0
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as source:
            compile(source.read(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        failed = 1
        sys.stderr.write("".join(traceback.format_exception_only(type(error), error)))
    except Exception as error:
        failed = 1
        sys.stderr.write(f'  File "{path}", line 1\n{type(error).__name__}: {error}\n')
sys.exit(failed)
