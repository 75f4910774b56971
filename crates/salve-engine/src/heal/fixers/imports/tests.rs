//! Names without their imports, in small workspaces.

use crate::heal::fixers::testing::{Files, proposals, said};

#[test]
fn a_name_is_imported_as_others_do_or_from_where_it_is_defined() {
    for (tool, path, files, message, place, wanted) in [
        (
            "python",
            "app/a.py",
            &[("app/a.py", "import os\nimport sys\n\nprint(json.dumps(1))\n")][..],
            "name 'json' is not defined",
            (4, 7),
            "import json\nimport os\nimport sys\n\nprint(json.dumps(1))\n",
        ),
        (
            "python",
            "app/a.py",
            &[
                ("app/a.py", "\"\"\"Doc.\"\"\"\n\nhelper()\n"),
                ("app/util.py", "def helper():\n    pass\n"),
            ],
            "name 'helper' is not defined",
            (3, 1),
            "\"\"\"Doc.\"\"\"\nfrom app.util import helper\n\nhelper()\n",
        ),
        (
            "python",
            "a.py",
            &[("a.py", "from typing import Any, List\n\nx: Optional[Any]\n")],
            "name 'Optional' is not defined",
            (3, 4),
            "from typing import Any, List, Optional\n\nx: Optional[Any]\n",
        ),
        (
            "python",
            "a.py",
            &[("a.py", "import re\n\nnp.zeros(1)\n"), ("b.py", "import numpy as np\n")],
            "name 'np' is not defined",
            (3, 1),
            "import re\n\nimport numpy as np\n\nnp.zeros(1)\n",
        ),
        (
            "tsc",
            "src/a.ts",
            &[
                ("src/a.ts", "import { other } from './util';\nhelper();\nother();\n"),
                ("src/util.ts", "export function helper() {}\nexport function other() {}\n"),
            ],
            "Cannot find name 'helper'.",
            (2, 1),
            "import { helper, other } from './util';\nhelper();\nother();\n",
        ),
        (
            "gcc",
            "src/a.c",
            &[
                ("src/a.c", "#include <stdio.h>\nint main() { return helper(); }\n"),
                ("src/util.h", "int helper(void);\n"),
            ],
            "implicit declaration of function ‘helper’",
            (2, 21),
            "#include <stdio.h>\n\n#include \"util.h\"\nint main() { return helper(); }\n",
        ),
        (
            "clang",
            "a.c",
            &[("a.c", "int main() { return strlen(\"a\"); }\n")],
            "call to undeclared library function 'strlen' with type 'unsigned long (const char *)'",
            (1, 21),
            "#include <string.h>\nint main() { return strlen(\"a\"); }\n",
        ),
    ] {
        let files = Files::new(files);
        let made = proposals(&[said(tool, message, path, place)], &files, path);
        assert!(made.iter().any(|text| text == wanted), "{tool}: {message}: {made:#?}");
    }
}

#[test]
fn a_name_that_a_module_does_not_offer_is_written_as_one_it_offers() {
    for (tool, path, text, message, place, wanted) in [
        (
            "python",
            "a.py",
            "from util import hepler\n\nhelper()\n",
            "cannot import name 'hepler' from 'util' (/w/util.py)",
            (1, 1),
            "from util import helper\n\nhelper()\n",
        ),
        ("python", "a.py", "import utl\n", "No module named 'utl'", (1, 1), "import util\n"),
    ] {
        let files = Files::new(&[(path, text), ("util.py", "def helper():\n    pass\n")]);
        let made = proposals(&[said(tool, message, path, place)], &files, path);
        assert!(made.iter().any(|text| text == wanted), "{tool}: {message}: {made:#?}");
    }
}
