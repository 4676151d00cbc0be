// Bundles src/ and the parts of D3 that it uses into what the package ships: one script, one style, the licences.
// The script begins with a digest of everything it is made of: a test tells when it is out of date.
import {createHash} from "node:crypto";
import {readdirSync, readFileSync, writeFileSync} from "node:fs";
import {build} from "esbuild";

const out = "../src/askew/reporting/assets/";
const sources = readdirSync("src")
  .sort()
  .map((name) => `src/${name}`);
const digest = createHash("sha256");
for (const path of [...sources, "package-lock.json"]) digest.update(readFileSync(path));

const shared = {bundle: true, minify: true, target: "es2020", charset: "ascii", legalComments: "none"};
const made = await build({
  ...shared,
  entryPoints: ["src/main.js"],
  outfile: `${out}report.js`,
  format: "iife",
  metafile: true,
  banner: {js: `/* askew report. Sources: web/src. Digest: ${digest.digest("hex")} */`},
});
await build({...shared, entryPoints: ["src/report.css"], outfile: `${out}report.css`});

const packages = new Set();
for (const path of Object.keys(made.metafile.inputs)) {
  const found = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) packages.add(found[1]);
}
const licences = [...packages].sort().map((name) => {
  const {version} = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
const rule = `\n${"-".repeat(80)}\n\n`;
writeFileSync(
  `${out}LICENSES.txt`,
  `The script of a report contains these packages, each under its licence.\n${rule}${licences.join(rule)}`,
);
