// What TypeScript's own language service would write for errors of tsc.
//
// In: argv[1], a JSON array of {path, line, column, code}, paths relative to the current folder, which has
// the tsconfig.json. Out: a JSON array with, for each of them, the fixes: {message, edits: [{path, start,
// end, text}]}, offsets in bytes of the file. Never writes a file.
const fs = require("fs");
const path = require("path");

const MOST_FIXES = 5;
// These make an error invisible, or leave code to be written by a person.
const NO_REPAIR = new Set([
  "disableJsDiagnostics", "fixMissingFunctionDeclaration", "addConvertToUnknownForNonOverlappingTypes",
]);

function typescript() {
  try {
    return require(require.resolve("typescript", { paths: [process.cwd()] }));
  } catch {
    for (const folder of (process.env.PATH || "").split(path.delimiter)) {
      try {
        return require(path.join(path.dirname(fs.realpathSync(path.join(folder, "tsc"))), "../lib/typescript.js"));
      } catch {}
    }
    return undefined;
  }
}

function bytes(file, offset) {
  const raw = fs.readFileSync(file, "utf8");
  const mark = raw.charCodeAt(0) === 0xfeff ? 1 : 0;
  return Buffer.byteLength(raw.slice(0, offset + mark), "utf8");
}

function service(ts, wanted) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} };
  const parsed = ts.getParsedCommandLineOfConfigFile("tsconfig.json", { noEmit: true }, host);
  const options = parsed ? parsed.options : {};
  const files = new Set((parsed ? parsed.fileNames : []).concat(wanted.map((one) => path.resolve(one.path))));
  return ts.createLanguageService({
    getScriptFileNames: () => [...files],
    getScriptVersion: () => "0",
    getScriptSnapshot(file) {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => process.cwd(),
    getCompilationSettings: () => options,
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  });
}

function indentation(text) {
  const found = /^( +|\t)\S/m.exec(text);
  if (!found) return { indentSize: 2, tabSize: 2, convertTabsToSpaces: true };
  const tabs = found[1] === "\t";
  const size = tabs ? 4 : found[1].length;
  return { indentSize: size, tabSize: size, convertTabsToSpaces: !tabs };
}

function fixes(ts, languageService, one) {
  const file = path.resolve(one.path);
  const source = languageService.getProgram().getSourceFile(file);
  if (!source) return [];
  const found = languageService.getSyntacticDiagnostics(file).concat(languageService.getSemanticDiagnostics(file));
  const place = (other) => source.getLineAndCharacterOfPosition(other.start);
  const ofLine = found.filter((other) =>
    other.code === one.code && other.start !== undefined && place(other).line + 1 === one.line);
  // Columns are counted in characters there, in UTF-16 here.
  const at = ofLine.find((other) => place(other).character + 1 === one.column) || ofLine[0];
  if (!at) return [];
  const newLine = source.text.includes("\r\n") ? "\r\n" : "\n";
  const format = { ...ts.getDefaultFormatCodeSettings(newLine), ...indentation(source.text) };
  const actions = languageService.getCodeFixesAtPosition(
    file, at.start, at.start + at.length, [at.code], format, { quotePreference: "auto" });
  return actions
    .filter((action) => !NO_REPAIR.has(action.fixName) && action.changes.every((change) => !change.isNewFile))
    .slice(0, MOST_FIXES)
    .map((action) => ({
      message: action.description,
      edits: action.changes.flatMap((change) => change.textChanges.map((text) => ({
        path: path.relative(process.cwd(), change.fileName).split(path.sep).join("/"),
        start: bytes(change.fileName, text.span.start),
        end: bytes(change.fileName, text.span.start + text.span.length),
        text: text.newText,
      }))),
    }));
}

const wanted = JSON.parse(process.argv[1]);
const ts = typescript();
if (!ts) {
  console.error("there is no package `typescript` here");
  process.exit(1);
}
const languageService = service(ts, wanted);
console.log(JSON.stringify(wanted.map((one) => fixes(ts, languageService, one))));
