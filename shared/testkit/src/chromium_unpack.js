// Unpacks the browser from the first folder into the second.
const fs = require("node:fs"), zlib = require("node:zlib");
const [from, to] = process.argv.slice(1);
for (const name of ["chromium", "al2023.tar"]) {
  fs.writeFileSync(`${to}/${name}`, zlib.brotliDecompressSync(fs.readFileSync(`${from}/${name}.br`)), { mode: 0o755 });
}
