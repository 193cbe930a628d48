import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import clients from '../../docs/openapi.json' with { type: 'json' }
import operators from '../../docs/openapi.operators.json' with { type: 'json' }
import { socketDescription } from '../support/exposed.ts'
import { runTool } from './tools.ts'

/** The linters take seconds each, and their installation some more. */
const TIMEOUT_MS = 180_000

const folder = mkdtempSync(join(tmpdir(), 'descriptions-'))
afterAll(() => rmSync(folder, { recursive: true }))

// Whoever deploys the service is the contact of the socket: there is no address to give (docs/decisions.md).
writeFileSync(
  join(folder, 'spectral.json'),
  JSON.stringify({
    extends: ['spectral:oas', 'spectral:asyncapi'],
    rules: { 'asyncapi-info-contact-properties': 'off' },
  }),
)
writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\n')

/** The documents, as files in the folder, each beside others with a fault. */
const { license: _, ...unlicensed } = clients.info
const { license: __, ...unlicensedOperators } = operators.info
const { servers: ___, ...serverless } = socketDescription
const documents = {
  'clients.json': clients,
  'operators.json': operators,
  'socket.json': socketDescription,
  'clients-unlicensed.json': { ...clients, info: unlicensed },
  'operators-unlicensed.json': { ...operators, info: unlicensedOperators },
  'clients-faulty.json': { ...clients, paths: {}, servers: [] },
  'operators-faulty.json': { ...operators, paths: {}, servers: [] },
  'socket-faulty.json': serverless,
}
for (const [name, document] of Object.entries(documents))
  writeFileSync(join(folder, name), JSON.stringify(document))

/** What Spectral's recommended rules find in a document, each finding as a line. */
async function spectral(name: string): Promise<string[]> {
  const options = ['--ruleset', 'spectral.json', '--format', 'json', '--quiet']
  const printed = await runTool('@stoplight/spectral-cli/dist/index.js', ['lint', name, ...options], folder)
  const findings: { code: string; path: string[]; message: string }[] = JSON.parse(printed)
  return findings.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)
}

/** What Redocly's recommended rules find in a document: its command fails on errors, and prints warnings. */
async function redocly(name: string): Promise<string[]> {
  const options = ['--config', 'redocly.yaml', '--format=json']
  const printed = await runTool('@redocly/cli/bin/cli.js', ['lint', name, ...options], folder)
  const report: { problems: { ruleId: string; message: string }[] } = JSON.parse(printed)
  return report.problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

describe.each(['clients', 'operators', 'socket'])('the description for %s', (name) => {
  it('is one in which Spectral’s recommended rules find nothing', { timeout: TIMEOUT_MS }, async () => {
    expect(await spectral(`${name}.json`)).toEqual([])
    expect(await spectral(`${name}-faulty.json`)).not.toEqual([])
  })

  it('is one in which Redocly’s recommended rules find nothing', { timeout: TIMEOUT_MS }, async () => {
    expect(await redocly(`${name}.json`)).toEqual([])
    if (name !== 'socket') expect(await redocly(`${name}-unlicensed.json`)).not.toEqual([])
  })
})
