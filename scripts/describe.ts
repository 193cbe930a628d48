/**
 * npm run describe: writes the generated pages of docs/ and the client's types. With --check: fails when one is out of
 * step with the code.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** What a script prints that reads `input`. */
function printedBy(script: string, input?: string, args: string[] = []): string {
  const cwd = pathOf('client') // where openapi-typescript finds no configuration of Redocly's
  return execFileSync(process.execPath, [pathOf(script), ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    input,
  })
}

function formatted(source: string): string {
  return printedBy('node_modules/@biomejs/biome/bin/biome', source, [
    'format',
    '--stdin-file-path=operations.ts',
  ])
}

const description = printedBy('scripts/describe/openapi.ts')

const pages = {
  'docs/openapi.json': description,
  'docs/errors.md': printedBy('scripts/describe/errors.ts'),
  'docs/configuration.md': printedBy('scripts/describe/configuration.ts'),
  'client/src/operations.ts': formatted(printedBy('scripts/describe/client.ts')),
  'client/src/schema.d.ts': printedBy('client/node_modules/openapi-typescript/bin/cli.js', description),
}

for (const [page, text] of Object.entries(pages)) {
  if (!process.argv.includes('--check')) writeFileSync(pathOf(page), text)
  else if (readFileSync(pathOf(page), 'utf8') !== text) {
    console.error(`${page} is out of step with the code: npm run describe`)
    process.exitCode = 1
  }
}
