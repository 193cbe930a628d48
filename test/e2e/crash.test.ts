import { afterAll, beforeAll, expect, it } from 'vitest'
import { seeded } from '../support/seeded.ts'
import type { Order } from './crash/actor.ts'
import { compare } from './crash/compare.ts'
import { inspect, letTwoDaysPass } from './crash/disk.ts'
import { leaveUploadsToExpire } from './crash/expiry.ts'
import { Figures } from './crash/figures.ts'
import { runJob } from './crash/operator-acts.ts'
import { recoverAll } from './crash/recover.ts'
import { PART_SIZE } from './crash/sending-acts.ts'
import { World } from './crash/world.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const kills = amount || 4
const actors = 6

/** Kills that are aimed at one kind of request, which several actors send at the same moment; `''`: at anything. */
const aims = [
  'complete file',
  'complete replacement',
  'complete parts',
  '',
  'purge',
  'erase',
  'run the job',
  'complete asset',
  'abort file',
  'publish',
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
]

const variables = {
  MULTIPART_THRESHOLD: String(PART_SIZE),
  PART_SIZE: String(PART_SIZE),
  UPLOAD_TTL: '60',
  DOWNLOAD_URL_TTL: '10',
  CONTENT_GRACE_DAYS: '0', // the test looks whether no object is left
}
/** In the end uploads are left alone until their time is over, which then is soon. */
const lastVariables = { UPLOAD_TTL: '6' }

const figures = new Figures()
let world: World

beforeAll(async () => {
  const replay = `npm run prove:crash -- --seed ${seed} --amount ${kills}`
  world = await World.begin(seed, actors, variables, replay)
})
afterAll(() => world.power.server.stop())

it(`loses nothing that was acknowledged, and does nothing by halves, in ${kills} kills`, async () => {
  for (let round = 1; round <= kills; round++) {
    world.journal.round = round
    const aim = aims[(round - 1) % aims.length] ?? ''
    await killAt(aim, seeded(seed + round * 7_919))
    await resume(round === kills ? lastVariables : {})
    figures.kills++
    if (amount > 0)
      console.log(`kill ${round} of ${kills}, at ${aim || 'anything'}: ${figures.summary(world)}`)
  }
  await leaveUploadsToExpire(world)
  const began = now()
  await settle()
  // What became due while the job ran is for the next run.
  const { awaited, due, stray } = (await cutAndInspect(began)).unreferenced
  const left = [...awaited, ...due, ...stray]
  expect(left, world.traced('left by the job, when every upload had expired', left)).toEqual([])

  let end = await afterTwoDays()
  // An upload may have ended after the first two days passed; what R2 did not delete is asked for again.
  for (let more = 0; end.rows.garbage > 0 && more < 2; more++) end = await afterTwoDays()
  const { rows, unreferenced, strayMultiparts, strayBlobs } = end
  expect(unreferenced).toEqual({ awaited: [], due: [], kept: [], stray: [] })
  expect(end.garbage).toEqual([])
  expect(rows).toEqual({ garbage: 0, erasures: 0, references: rows.objects, objects: rows.objects })
  console.log(
    `${figures.summary(world)}\n${figures.table()}\n  at the end: ${rows.objects} objects, all of them known; multipart uploads that R2 forgets by itself: ${strayMultiparts}; blobs that the simulator has lost track of: ${strayBlobs}`,
  )
})

/** Unix seconds. */
function now(): number {
  return Math.floor(Date.now() / 1_000)
}

/** Kills the server, and looks at what it leaves on the disk: that has to hang together at any moment. */
async function cutAndInspect(as_of = now()) {
  await world.power.cut()
  const disk = await inspect(world.power.server.state, as_of)
  expect(disk.torn, world.traced('on the disk of the dead server', disk.torn)).toEqual([])
  figures.found(disk)
  return disk
}

/** Two days later, when the job has run. */
async function afterTwoDays() {
  await letTwoDaysPass(world.power.server.state)
  await resume()
  await settle(true)
  return cutAndInspect()
}

/** Starts the server again, and requires everything that was promised before the kill. */
async function resume(variables: Record<string, string> = {}): Promise<void> {
  await world.power.restore(variables)
  for (const { listener } of world.actors) listener.connect()
  await recoverAll(world.actors, figures)
  await compare(world, figures)
}

/** Runs the job until it has nothing more to do, and requires that nothing is owed any more; with `all`, of every content. */
async function settle(all = false): Promise<void> {
  const [actor] = world.actors
  for (let runs = 0; actor && runs < 4; runs++) await actor.perform(runJob(actor))
  await recoverAll(world.actors, figures)
  await compare(world, figures, all)
  for (const { ledger } of [...world.actors, ...world.graves]) expect(ledger.owed).toEqual([])
}

/** Lets everybody work, and kills the server at a random moment, while what is aimed at is under way. */
async function killAt(aim: string, random: () => number): Promise<void> {
  const work = Promise.all(world.actors.map((actor) => actor.work()))
  const enough = world.journal.reaches(world.journal.lines.length + 40 + Math.floor(random() * 120))
  await Promise.race([work, enough])
  if (aim !== '') await Promise.race([work, aimed(aim, random)])
  await Promise.race([work, after(random() * 2 * world.usually(aim))])
  await cutAndInspect()
  await work
}

/** Has most actors prepare something of one kind, and then do it all at the same moment. */
async function aimed(kind: string, random: () => number): Promise<void> {
  const able = world.actors.filter(({ isMortal }) => kind !== 'erase' || isMortal)
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
