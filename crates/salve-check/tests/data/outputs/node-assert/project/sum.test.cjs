const assert = require("node:assert");
assert.strictEqual(1 + 1, 3);
