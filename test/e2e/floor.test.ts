import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundle } from '../../bench/bundle.ts'
import { hotPaths } from '../../bench/paths.ts'
import { teachFloor } from '../../bench/record.ts'
import { type Runtime, serve } from '../../bench/serve.ts'
import { tokenOf } from '../../bench/token.ts'
import { plantTree, USER } from '../../bench/tree.ts'
import { project } from '../../scripts/development.ts'

/** `npm run bench` begins with the same, and then measures. */
let runtime: Runtime | undefined
let scratch = ''

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'floor-'))
  const [probe, floor] = await Promise.all([
    bundle('bench/probe.ts', join(scratch, 'probe'), [`./service.js:${project}src/app.ts`]),
    bundle('bench/floor.ts', join(scratch, 'floor')),
  ])
  // The probe is the service with a further route. A bundle of the service alone would take as long again.
  runtime = await serve({ service: probe, probe, floor }, join(scratch, 'state'))
})

afterAll(async () => {
  await runtime?.stop()
  await rm(scratch, { recursive: true, force: true })
})

it('the floor that the bench compares with answers each hot path as the service does', async () => {
  if (!runtime) throw new Error('the runtime did not start')
  const paths = hotPaths(await plantTree(runtime.database))
  await expect(teachFloor(runtime, paths, await tokenOf(USER))).resolves.toHaveLength(paths.length)
})
