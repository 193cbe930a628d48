import { spawn } from 'node:child_process'

/** The long proofs: `npm run prove:model -- --seed 7 --amount 1000`. `npm run prove` runs the short ones. */
const proofs = {
  races: { project: 'proofs', file: 'test/races', amount: 200 },
  model: { project: 'proofs', file: 'test/proofs/model.test.ts', amount: 100_000 },
  pairs: { project: 'proofs', file: 'test/proofs/pairs.test.ts', amount: 20 },
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
  events: { project: 'proofs', file: 'test/jobs/event-crashes.test.ts', amount: 200 },
  migrations: { project: 'proofs', file: 'test/proofs/migrations.test.ts', amount: 1_000_000 },
  killed: { project: 'shards', file: 'test/shards/moves.test.ts', amount: 50 },
  replay: { project: 'client', file: 'test/e2e/proofs/replay.test.ts', amount: 1 },
} as const

const [name = '', ...options] = process.argv.slice(2)
const given = Object.fromEntries(
  options.flatMap((option, index) =>
    option.startsWith('--') ? [[option.slice(2), options[index + 1]]] : [],
  ),
)
const proof = Object.entries(proofs).find(([known]) => known === name)?.[1]
if (!proof) throw new Error(`There is no proof "${name}". Name one of ${Object.keys(proofs).join(', ')}.`)

const seed = given.seed ?? String(Date.now() % 1_000_000_000)
const amount = given.amount ?? String(proof.amount)
console.log(`prove:${name} with --seed ${seed} --amount ${amount}, begun ${new Date().toISOString()}`)
const run = spawn('vitest', ['run', '--silent=false', '--project', proof.project, proof.file], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PROVE_SEED: seed,
    PROVE_AMOUNT: amount,
    PROVE_ROUNDS: name === 'races' ? amount : '',
    PROVE_REPLAY: given.replay ?? '',
    PROVE_DATABASES: given.databases ?? '',
    PROVE_CATALOGUE: given.catalogue ?? '',
  },
})
run.on('exit', (code) => {
  console.log(`prove:${name} with --seed ${seed} --amount ${amount}, ended ${new Date().toISOString()}`)
  process.exit(code ?? 1)
})
