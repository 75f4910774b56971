const fs = require("./gone");
