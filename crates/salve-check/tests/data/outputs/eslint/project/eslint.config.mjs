import js from "@eslint/js";
export default [js.configs.recommended, { rules: { "eqeqeq": "error", "no-var": "error", "prefer-const": "warn", "no-useless-escape":"error" } }];
