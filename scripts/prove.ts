/** npm run prove: every proof in its short form, or the long form of one (docs/proofs.md). */
import { spawnSync } from 'node:child_process'
import { proveUpgrade } from './prove-upgrade.ts'
import { readArguments, refuse } from './usage.ts'

const SHORT = ['proofs', 'shards-brief', 'crash', 'client', 'csharp', 'browser', 'demo']
/** What has tests that run before a release, and not with each change. */
const RELEASE = ['workers', 'proofs', 'shards-brief', 'e2e', 'client', 'csharp', 'browser', 'demo']

const proofs = {
  races: { project: 'proofs', file: 'test/races', amount: 200 },
  model: { project: 'proofs', file: 'test/proofs/model.test.ts', amount: 100_000 },
  pairs: { project: 'proofs', file: 'test/proofs/pairs', amount: 20 },
  fuzz: { project: 'proofs', file: 'test/proofs/fuzz.test.ts', amount: 100_000 },
  faults: { project: 'proofs', file: 'test/proofs/faults.test.ts', amount: 3 },
  crash: { project: 'crash', file: 'test/e2e/crash.test.ts', amount: 50 },
  client: { project: 'client', file: 'test/e2e/proofs/upload.test.ts', amount: 100 },
  catalogue: { project: 'proofs', file: 'test/proofs/catalogue.test.ts', amount: 10_000 },
  shards: { project: 'shards', file: 'test', amount: 50 },
  sockets: { project: 'proofs', file: 'test/proofs/socket-rounds.test.ts', amount: 1_000 },
  inbox: { project: 'client', file: 'test/e2e/proofs/inbox.test.ts', amount: 1_000 },
  offline: { project: 'client', file: 'test/e2e/proofs/saves.test.ts', amount: 200 },
  moves: { project: 'shards', file: 'test/shards/move-under-load.test.ts', amount: 10_000 },
  csharp: { project: 'csharp', file: 'test/csharp', amount: 50 },
  saves: { project: 'proofs', file: 'test/proofs/saves.test.ts', amount: 2_000 },
  releases: { project: 'proofs', file: 'test/proofs/releases.test.ts', amount: 10_000 },
  'own-writes': { project: 'proofs', file: 'test/proofs/own-writes.test.ts', amount: 10_000 },
  events: { project: 'proofs', file: 'test/jobs/event-crashes.test.ts', amount: 200 },
  migrations: { project: 'proofs', file: 'test/proofs/migrations.test.ts', amount: 1_000_000 },
  killed: { project: 'shards', file: 'test/shards/moves.test.ts', amount: 50 },
  replay: { project: 'client', file: 'test/e2e/proofs/replay.test.ts', amount: 1 },
} as const

const text = { type: 'string' } as const
const usage = `npm run prove: every proof in its short form
npm run prove -- NAME [--seed 7 --amount 1000 --databases 3 --catalogue own|shared]: the long form of ${Object.keys(proofs).join(', ')}
npm run prove -- release: what runs before a release, and not with each change
npm run prove -- upgrade REF: an upgrade from the Worker of a commit, tag or branch`
const { values, positionals } = readArguments(
  usage,
  { seed: text, amount: text, databases: text, catalogue: text, replay: text },
  { takesOthers: true },
)
const [name, ref] = positionals
const proof = Object.entries(proofs).find(([known]) => known === name)?.[1]

if (name === undefined) process.exit(vitest(['--tags-filter', '!release', ...projects(SHORT)]))
if (name === 'release') process.exit(vitest(['--tags-filter', 'release', ...projects(RELEASE)]))
if (name === 'upgrade')
  process.exit(await proveUpgrade(ref ?? refuse('Name the commit, tag or branch that is served now.', usage)))
if (!proof) refuse(`There is no proof "${name}".`, usage)

const seed = values.seed ?? String(Date.now() % 1_000_000_000)
const amount = values.amount ?? String(proof.amount)
const what = `npm run prove -- ${name} --seed ${seed} --amount ${amount}`
console.log(`${what}, begun ${new Date().toISOString()}`)
const code = vitest(['--silent=false', '--project', proof.project, proof.file], {
  PROVE_SEED: seed,
  PROVE_AMOUNT: amount,
  PROVE_ROUNDS: name === 'races' ? amount : '',
  PROVE_REPLAY: values.replay ?? '',
  PROVE_DATABASES: values.databases ?? '',
  PROVE_CATALOGUE: values.catalogue ?? '',
})
console.log(`${what}, ended ${new Date().toISOString()}`)
process.exit(code)

function projects(names: readonly string[]): string[] {
  return names.flatMap((project) => ['--project', project])
}

/** Runs vitest to its end. Returns its exit code. */
function vitest(options: string[], variables: NodeJS.Dict<string> = {}): number {
  const env = { ...process.env, ...variables }
  return spawnSync('vitest', ['run', ...options], { stdio: 'inherit', env }).status ?? 1
}
