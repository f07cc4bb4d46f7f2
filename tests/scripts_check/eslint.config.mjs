// The scripts run as they are in browsers, without modules and without a build step.
import js from "@eslint/js";
import globals from "globals";

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.js"],
    languageOptions: {
      ecmaVersion: 2022,
      sourceType: "script",
      globals: { ...globals.browser, birdmodes: "writable", birdmodesData: "writable" },
    },
    rules: {
      "consistent-return": "error",
      curly: "error",
      "default-case-last": "error",
      eqeqeq: "error",
      "no-alert": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-implicit-globals": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Text goes in as text: names of files may be hostile." },
        { property: "outerHTML", message: "Text goes in as text: names of files may be hostile." },
        { property: "insertAdjacentHTML", message: "Text goes in as text." },
      ],
      "no-shadow": "error",
      "no-throw-literal": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      strict: ["error", "global"],
    },
  },
];
