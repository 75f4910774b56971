// Tells which of the files named as arguments node would refuse to parse, in the words of
// `node --check`. That option takes one file; parsing all of them here first starts a second node
// only for the files that are wrong. Nothing of the files is executed.
const fs = require("fs"), os = require("os"), path = require("path"), vm = require("vm");
const { spawnSync } = require("child_process");

const parameters = ["exports", "require", "module", "__filename", "__dirname"];
const asScript = (text, filename) => vm.compileFunction(text, parameters, { filename });
const asModule = (text, identifier) => new vm.SourceTextModule(text, { identifier });

function parses(parse, text, file) {
  try {
    parse(text, file);
    return true;
  } catch {
    return false;
  }
}

// What node takes a file for: by its ending, then by the nearest package.json, else by its content.
function kindOf(file) {
  if (file.endsWith(".mjs")) return "module";
  if (file.endsWith(".cjs")) return "commonjs";
  for (let folder = path.dirname(path.resolve(file)); ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, "package.json");
    if (fs.existsSync(manifest)) {
      try {
        return JSON.parse(fs.readFileSync(manifest, "utf8")).type ?? "either";
      } catch {
        return "either";
      }
    }
    if (folder === path.dirname(folder)) return "either";
  }
}

function explain(file, checked) {
  const answer = spawnSync(process.execPath, ["--check", checked], { encoding: "utf8" });
  if (answer.status === 0) return false;
  process.stderr.write(answer.stderr.replaceAll(path.resolve(checked), path.resolve(file)));
  return true;
}

// `node --check` says nothing about a module that only its content tells as one.
function explainAsModule(file, text) {
  const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "check-")), "copy.mjs");
  fs.writeFileSync(copy, text);
  return explain(file, copy);
}

for (const file of process.argv.slice(1)) {
  const text = fs.readFileSync(file, "utf8");
  const kind = kindOf(file);
  const whole =
    (kind !== "module" && parses(asScript, text, file)) ||
    (kind !== "commonjs" && parses(asModule, text, file));
  if (whole) continue;
  process.exitCode = 1;
  const looksLikeModule = /^\s*(import|export)\b/m.test(text);
  const explained = kind === "either" && looksLikeModule
    ? explainAsModule(file, text)
    : explain(file, file);
  if (!explained) process.stderr.write(`${path.resolve(file)}:1\n\nSyntaxError: does not parse\n`);
}
