/** npm run describe: writes the generated pages of docs/. With --check: fails when one is out of step with the code. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pages = {
  'docs/openapi.json': 'describe/openapi.ts',
  'docs/errors.md': 'describe/errors.ts',
  'docs/configuration.md': 'describe/configuration.ts',
}

for (const [page, script] of Object.entries(pages)) {
  const path = fileURLToPath(new URL(`../${page}`, import.meta.url))
  const text = execFileSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${page} is out of step with the code: npm run describe`)
    process.exitCode = 1
  }
}
