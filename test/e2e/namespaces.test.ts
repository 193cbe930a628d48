import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { project } from './citations.ts'

/** The files that declare the bindings' types. */
const declarations = ['platform/config/env.ts', 'features/notifications/rpc.ts', 'features/saves/rpc.ts']

it('only src/platform/config/namespaces.ts uses the bindings of Durable Objects, so that all are in the jurisdiction', () => {
  const uses = readdirSync(`${project}src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !declarations.includes(name))
    .filter((name) => {
      const withoutTypes = readFileSync(`${project}src/${name}`, 'utf8').replaceAll(/Env\['\w+'\]/g, '')
      return /\bINBOX\b|\bSAVES\b|\bJANITOR\b/.test(withoutTypes)
    })
  expect(uses).toEqual(['platform/config/namespaces.ts'])
})
