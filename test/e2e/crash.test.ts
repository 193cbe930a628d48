import { afterAll, beforeAll, expect, it } from 'vitest'
import { seeded } from '../support/seeded.ts'
import type { Order } from './crash/actor.ts'
import { compare } from './crash/compare.ts'
import { inspect, letTwoDaysPass } from './crash/disk.ts'
import { leaveUploadsToExpire } from './crash/expiry.ts'
import { Figures } from './crash/figures.ts'
import { runJob } from './crash/job.ts'
import { LAST_UPLOAD_TTL } from './crash/limits.ts'
import { recoverAll } from './crash/recover.ts'
import { Run } from './crash/run.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const kills = amount || 2
const actors = 6

/** Kills that are aimed at one kind of request, which several actors send at the same moment; `''`: at anything. */
const aims = [
  'complete file',
  'complete replacement',
  'complete parts',
  '',
  'set a preview',
  'delete a version',
  'edit a page',
  'add a favorite',
  'change an asset',
  'purge',
  'erase',
  'run the job',
  'complete asset',
  'abort file',
  'publish',
  'delete notifications',
  'complete parts',
  'empty the trash',
  'complete version',
  'purge an asset',
  'send file',
  'branch',
  'complete mismatch',
  'read',
  'start file',
  'send parts',
  'delete a preview',
  'remove a favorite',
]

const figures = new Figures()
let run: Run

beforeAll(async () => {
  const replay = `npm run prove -- crash --seed ${seed} --amount ${kills}`
  run = await Run.begin(seed, actors, replay)
})
afterAll(() => run.power.server.stop())

it(`loses nothing that was acknowledged, and does nothing by halves, in ${kills} kills`, async () => {
  for (let round = 1; round <= kills; round++) {
    run.journal.round = round
    const aim = aims[(round - 1) % aims.length] ?? ''
    await killAt(aim, seeded(seed + round * 7_919))
    await resume(round === kills ? LAST_UPLOAD_TTL : undefined)
    figures.kills++
    if (amount > 0) console.log(`kill ${round} of ${kills}, at ${aim || 'anything'}: ${figures.summary(run)}`)
  }
  await leaveUploadsToExpire(run)
  const began = now()
  await settle()
  // What became due while the job ran is for the next run.
  const { awaited, due, stray } = (await cutAndInspect(began)).unreferenced
  // The marker of a branch that was cut off is left to the next walk, a day later.
  const left = [...awaited, ...due, ...stray].filter((key) => !key.startsWith('refs/'))
  expect(left, run.traced('left by the job, when every upload had expired', left)).toEqual([])

  let end = await afterTwoDays()
  // An upload may have ended after the first two days passed; what R2 did not delete is asked for again; the row of an entry stays an
  // hour after the asset has gone.
  for (let more = 0; end.rows.garbage + end.rows.waiting > 0 && more < 2; more++) end = await afterTwoDays()
  const { rows, unreferenced, strayMultiparts, strayBlobs } = end
  const { cutOff, ...others } = unreferenced
  expect(others).toEqual({ awaited: [], due: [], kept: [], stray: [] })
  const previewsCutOff = run.journal.lines.filter(
    ({ intent, outcome }) => outcome === 'cut off' && / gives \S+ a preview of /.test(intent),
  )
  expect(cutOff.length, 'previews without a row').toBeLessThanOrEqual(previewsCutOff.length)
  expect(end.garbage).toEqual([])
  expect(rows).toEqual({
    garbage: 0,
    waiting: 0,
    erasures: 0,
    references: rows.objects - cutOff.length,
    objects: rows.objects,
  })
  console.log(
    `${figures.summary(run)}\n${figures.table()}\n  at the end: ${rows.objects} objects, all of them known; multipart uploads that R2 forgets by itself: ${strayMultiparts}; blobs that the simulator has lost track of: ${strayBlobs}`,
  )
})

/** Unix seconds. */
function now(): number {
  return Math.floor(Date.now() / 1_000)
}

/** Kills the server, and looks at what it leaves on the disk: that has to hang together at any moment. */
async function cutAndInspect(as_of = now()) {
  await run.power.cut()
  const disk = await inspect(run.power.server.state, as_of)
  expect(disk.torn, run.traced('on the disk of the dead server', disk.torn)).toEqual([])
  figures.found(disk)
  return disk
}

/** Two days later, when the job has run. */
async function afterTwoDays() {
  await letTwoDaysPass(run.power.server.state)
  await resume()
  await settle(true)
  return cutAndInspect()
}

/** Starts the server again, and requires everything that was promised before the kill. */
async function resume(upload_ttl?: number): Promise<void> {
  await run.resume(upload_ttl)
  await recoverAll(run.actors, figures)
  await compare(run, figures)
}

/** Runs the job until it has nothing more to do, and requires that nothing is owed any more; with `all`, of every content. */
async function settle(all = false): Promise<void> {
  const [actor] = run.actors
  for (let runs = 0; actor && runs < 4; runs++) await actor.perform(runJob(actor))
  await recoverAll(run.actors, figures)
  await compare(run, figures, all)
  for (const { owed } of [...run.actors, ...run.graves]) expect(owed).toEqual([])
}

/** Lets everybody work, and kills the server at a random moment, while what is aimed at is under way. */
async function killAt(aim: string, random: () => number): Promise<void> {
  const work = Promise.all(run.actors.map((actor) => actor.work()))
  const enough = run.journal.reaches(run.journal.lines.length + 40 + Math.floor(random() * 120))
  await Promise.race([work, enough])
  if (aim !== '') await Promise.race([work, aimed(aim, random)])
  await Promise.race([work, after(random() * 2 * run.usually(aim))])
  await cutAndInspect()
  await work
}

/** Has most actors prepare something of one kind, and then do it all at the same moment. */
async function aimed(kind: string, random: () => number): Promise<void> {
  const able = run.actors.filter(({ isMortal }) => kind !== 'erase' || isMortal)
  const chosen = able.filter(() => random() < 0.7)
  if (chosen.length === 0) chosen.push(...able.slice(0, 1))
  const moment = Promise.withResolvers<void>()
  await Promise.all(
    chosen.map((actor) => {
      const ready = Promise.withResolvers<void>()
      const order: Order = { kind, isReady: ready.resolve, moment: moment.promise }
      actor.order = order
      return ready.promise
    }),
  )
  moment.resolve()
}

/** Not a wait for anything: which moment of a request a kill comes at is what is drawn. */
const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
