import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import spectralCore from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { afterAll, describe, expect, it } from 'vitest'
import clients from '../../docs/openapi.json' with { type: 'json' }
import operators from '../../docs/openapi.operators.json' with { type: 'json' }
import { socketDescription } from '../support/socket-description.ts'
import { project } from './citations.ts'

const { Ruleset, Spectral } = spectralCore
const { asyncapi, oas } = rulesets

const folder = mkdtempSync(join(tmpdir(), 'descriptions-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What Spectral finds in a document, each finding as a line. */
async function spectral(ruleset: object, document: object): Promise<string[]> {
  const linter = new Spectral()
  linter.setRuleset(new Ruleset(ruleset))
  const findings = await linter.run(JSON.stringify(document))
  return findings.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)
}

/** What Redocly's recommended rules find in a document: its command fails on errors, and prints warnings. */
function redocly(name: string, document: object): string[] {
  const [file, config] = [join(folder, name), join(folder, 'redocly.yaml')]
  writeFileSync(file, JSON.stringify(document))
  writeFileSync(config, 'extends: [recommended]\n')
  const cli = `${project}node_modules/@redocly/cli/bin/cli.js`
  const options = ['--config', config, '--format=json']
  const printed = execFileSync(process.execPath, [cli, 'lint', file, ...options], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const report: { problems: { ruleId: string; message: string }[] } = JSON.parse(printed)
  return report.problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

describe.each([
  ['clients', 'openapi.json', clients],
  ['operators', 'openapi.operators.json', operators],
])('the API description for %s', (audience, name, description) => {
  it('is one in which Spectral’s recommended rules find nothing', async () => {
    expect(await spectral({ extends: [[oas, 'recommended']] }, description)).toEqual([])
    const nameless = { ...description, paths: {}, servers: [] }
    expect(await spectral({ extends: [[oas, 'recommended']] }, nameless)).not.toEqual([])
  })

  it('is one in which Redocly’s recommended rules find nothing', () => {
    expect(redocly(name, description)).toEqual([])
    const { license: _, ...info } = description.info
    expect(redocly(`unlicensed-${audience}.json`, { ...description, info })).not.toEqual([])
  })
})

describe('the description of the socket', () => {
  // Whoever deploys the service is its contact: there is no address to give (docs/decisions.md).
  const rules = { 'asyncapi-info-contact-properties': 'off' } as const

  it('is one in which Spectral’s recommended rules find nothing', async () => {
    expect(await spectral({ extends: [[asyncapi, 'recommended']], rules }, socketDescription)).toEqual([])
    const { servers: _, ...without } = socketDescription
    expect(await spectral({ extends: [[asyncapi, 'recommended']], rules }, without)).not.toEqual([])
  })

  it('is one in which Redocly’s recommended rules find nothing', () => {
    expect(redocly('asyncapi.json', socketDescription)).toEqual([])
  })
})
