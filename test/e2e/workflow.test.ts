import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { NAMES_OF_SECRETS } from '../../scripts/deploy/settings.ts'
import { project } from './citations.ts'

const folder = `${project}.github/workflows/`

describe.each(readdirSync(folder))('.github/workflows/%s', (name) => {
  const text = readFileSync(folder + name, 'utf8')

  it('names each action by its commit, and says of which version that is', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action)
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })
})

it('the workflow of deployments hands on every secret that a Worker may lack', () => {
  const text = readFileSync(`${folder}deploy.yml`, 'utf8')
  const handedOn = [...text.matchAll(/^ +(\w+): \$\{\{ secrets\.(\w+) \}\}$/gm)]
  for (const [, variable, secret] of handedOn) expect(variable).toBe(secret)
  const names = handedOn.map(([, variable]) => variable)
  for (const name of NAMES_OF_SECRETS) expect(names).toContain(name)
})
