/** @module-tag release */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { project } from '../citations.ts'

const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const SEED = Number(process.env.PROVE_SEED ?? 7)

interface Proof {
  /** The vitest projects, and the files in them. */
  projects: string[]
  files?: string[]
  /** How much it does here. */
  amount: number
  /** Whether it goes on until something has happened, so that one run may draw more than the other. */
  isOpen?: boolean
}

const events = 'test/jobs/event-crashes.test.ts'

/** One that takes seconds: `npm run prove` runs it twice. */
const short: Record<string, Proof> = {
  'prove in short': {
    projects: ['proofs'],
    files: ['test/races/event-races.test.ts'],
    amount: 8,
    isOpen: true,
  },
}

/** All of them: `npm run prove -- replay`. */
const every: Record<string, Proof> = {
  'prove -- events': { projects: ['proofs'], files: [events], amount: 8, isOpen: true },
  'prove -- races': { projects: ['proofs'], files: ['test/races'], amount: 0 },
  'prove -- fuzz': { projects: ['proofs'], files: ['test/proofs/fuzz.test.ts'], amount: 500 },
  'prove -- model': { projects: ['proofs'], files: ['test/proofs/model.test.ts'], amount: 300 },
  'prove, counters': { projects: ['proofs'], files: ['test/proofs/counters.test.ts'], amount: 0 },
  'prove, inbox': { projects: ['proofs'], files: ['test/proofs/inbox.test.ts'], amount: 0 },
  'prove -- sockets': { projects: ['proofs'], files: ['test/proofs/socket-rounds.test.ts'], amount: 500 },
  'prove -- saves': { projects: ['proofs'], files: ['test/proofs/saves.test.ts'], amount: 60 },
  'prove -- pairs': { projects: ['proofs'], files: ['test/proofs/pairs.test.ts'], amount: 1 },
  'prove -- faults': { projects: ['proofs'], files: ['test/proofs/faults.test.ts'], amount: 1 },
  'prove -- killed': { projects: ['shards'], files: ['test/shards/moves.test.ts'], amount: 4 },
  'prove -- shards': { projects: ['shards'], files: ['test/shards/shared-content.test.ts'], amount: 8 },
  'prove -- moves': {
    projects: ['shards'],
    files: ['test/shards/move-under-load.test.ts'],
    amount: 200,
    isOpen: true,
  },
  'prove -- crash': { projects: ['crash'], amount: 4, isOpen: true },
  'prove -- client': {
    projects: ['client'],
    files: ['test/e2e/proofs/upload.test.ts'],
    amount: 6,
    isOpen: true,
  },
  'prove -- offline': {
    projects: ['client'],
    files: ['test/e2e/proofs/saves.test.ts'],
    amount: 6,
    isOpen: true,
  },
  'prove -- inbox': {
    projects: ['client'],
    files: ['test/e2e/proofs/inbox.test.ts'],
    amount: 12,
    isOpen: true,
  },
}

const Drawn = z.array(z.object({ seed: z.number(), count: z.number(), digest: z.number() }))
type Drawn = z.output<typeof Drawn>

/** Runs a proof in a process of its own. Returns what each of its files drew, the same file in the same place. */
async function drawnBy({ projects, files = [], amount }: Proof, seed = SEED): Promise<Drawn[]> {
  const output = await new Promise<string>((resolve, reject) => {
    const of = projects.flatMap((name) => ['--project', name])
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--silent=false', ...of, ...files]
    const { VITEST, VITEST_MODE, VITEST_POOL_ID, VITEST_WORKER_ID, TALLY, ...env } = process.env
    const variables = { PROVE_SEED: String(seed), PROVE_AMOUNT: String(amount), PROVE_ROUNDS: '2' }
    const options = { cwd: project, env: { ...env, ...variables }, maxBuffer: 2 ** 28 }
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}\n${stderr}`, { cause: error })) : resolve(stdout),
    )
  })
  const lines = [...output.matchAll(/drawn: (\[.*\])$/gm)].map(([, line = '']) => line).sort()
  return lines.map((line) => Drawn.parse(JSON.parse(line)))
}

/** The part of what two runs drew that both came to. */
function shared(one: Drawn, other: Drawn): [Drawn, Drawn] {
  const both = one.flatMap((drawn, place) => {
    const same = other[place]
    if (!same) return []
    const isWhole = drawn.count === same.count
    return [
      isWhole
        ? [drawn, same]
        : [
            { ...drawn, ...unknown },
            { ...same, ...unknown },
          ],
    ]
  })
  return [both.flatMap(([drawn]) => drawn ?? []), both.flatMap(([, same]) => same ?? [])]
}

const unknown = { count: 0, digest: 0 }

it.each(Object.entries(amount > 0 ? every : short))(
  'npm run %s draws the same from the same seed',
  async (_, proof) => {
    const [one, other] = [await drawnBy(proof), await drawnBy(proof)]
    expect(one.flat().length).toBeGreaterThan(0)
    if (!proof.isOpen) return expect(other).toEqual(one)
    expect(other.length).toBe(one.length)
    for (const [place, drawn] of one.entries()) {
      const [mine, others] = shared(drawn, other[place] ?? [])
      expect(others).toEqual(mine)
      expect(mine.some(({ count }) => count > 0)).toBe(true)
    }
  },
)

it.each(amount > 0 ? Object.entries(every) : [])(
  'npm run %s draws others from another seed',
  async (_, proof) => {
    const [one, other] = [await drawnBy(proof), await drawnBy(proof, SEED + 1_000_003)]
    const digests = new Set(one.flat().map(({ digest }) => digest))
    expect(other.flat().filter(({ count, digest }) => count > 4 && digests.has(digest))).toEqual([])
  },
)

it('no test draws from Math.random, which has no seed', () => {
  const sources = readdirSync(`${project}test`, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('replay.test.ts'),
  )
  expect(sources.length).toBeGreaterThan(300)
  const drawing = sources.filter((path) =>
    readFileSync(`${project}test/${path}`, 'utf8').includes('Math.random'),
  )
  expect(drawing).toEqual([])
})
