import { env } from 'cloudflare:test'
import { expect } from 'vitest'
import type { Answer } from '../../support/answer.ts'
import { expectCatalogue, isShownAnywhere } from '../../support/catalogue.ts'
import { everywhere } from '../../support/databases.ts'
import { expectSound } from '../../support/invariants.ts'
import { runJobIn } from '../../support/objects.ts'
import { Faulty } from './bindings.ts'
import { type Faults, inside } from './fault.ts'
import { type Asked, type InParts, Scene } from './scene.ts'

/** A request in its circumstances: made anew for each trial. */
export interface Scenario {
  name: string
  prepare: (scene: Scene) => Promise<Asked>
  /**
   * How a repetition may be answered, beside as the first time, when the first has taken effect: members of its body.
   */
  repeated?: Record<string, unknown>
  /** Of a request that may come to some of its parts: whether an answer says so, and what must hold when the client leaves it there. */
  inParts?: { isPartial: (text: string) => boolean; holds: (scene: Scene) => Promise<void> }
  /** What must be possible in the end, beside what the rows say. */
  usable?: (scene: Scene) => Promise<void>
  /** Whether it is about what the scenes of other trials have, too: then no other goes on at the same time. */
  alone?: true
  /** Puts in order what a trial has left that nobody has repaired. */
  tidy?: (scene: Scene) => Promise<void>
  /** Whether the job does the rest of it. */
  leftToJob?: true
}

/** What is to go wrong in a trial. */
export interface Trouble {
  /** In the request, and, one after another, in its repetitions. Then all is well. */
  faults: Faults[]
  /** The client does not ask again. */
  givesUp?: boolean
}

/** Where a scenario takes place, and what is asked there. */
export interface Stage {
  scene: Scene
  asked: Asked
}

export async function stageOf({ prepare }: Scenario): Promise<Stage> {
  const scene = new Scene()
  return { scene, asked: await prepare(scene) }
}

/** What a scenario comes to when nothing goes wrong. */
export interface Clean {
  scene: Scene
  calls: Faulty['calls']
  answer: unknown
  before: unknown
  after: unknown
}

/** What trials have seen, for the figures. */
export const figures = { trials: 0, faults: 0, unavailable: 0, correct: 0, retries: 0 }

/** The scenario in a world where nothing goes wrong. */
export async function rehearse(scenario: Scenario): Promise<Clean> {
  const { scene, asked } = await stageOf(scenario)
  const faultless = new Faulty(new Map(), asked.variables)
  const before = await scene.picture()
  const answer = shown(scene, await scene.ask(asked, faultless.service))
  if (scenario.leftToJob) await runJobIn(0)
  return { scene, calls: faultless.calls, answer, before, after: await scene.picture() }
}

/**
 * The scenario where something does. Each answer must be UNAVAILABLE or the correct one. Tells whether the client has
 * got one in the end, which it does when it asks on.
 */
export async function undergo(
  scenario: Scenario,
  clean: Clean,
  { scene, asked }: Stage,
  { faults, givesUp }: Trouble,
): Promise<boolean> {
  figures.trials++
  const attempts = faults.map((some) => new Faulty(some, asked.variables))
  if (!givesUp) attempts.push(new Faulty(new Map(), asked.variables))
  let isAnswered = false
  for (const attempt of attempts) {
    const isFirst = attempt === attempts[0]
    if (!isFirst) figures.retries++
    isAnswered = await isCorrect(scenario, clean, scene, asked, attempt, !isFirst)
    figures.faults += attempt.struck
    await attempt.come('at once')
    if (isAnswered) break
    if (!givesUp) await attempt.come('before the retry')
  }
  for (const attempt of attempts)
    for (const when of ['before the retry', 'after the retry'] as const) await attempt.come(when)
  return isAnswered
}

/** Asks, and tells whether the answer is the correct one; UNAVAILABLE is the only other that may be. */
async function isCorrect(
  { repeated, inParts }: Scenario,
  clean: Clean,
  scene: Scene,
  asked: Asked,
  service: Faulty,
  isAgain: boolean,
): Promise<boolean> {
  const answer = await inTime(scene.ask(asked, service.service), service).catch((error: unknown) => {
    // Content that breaks off after its status has been sent is an answer that did not arrive: the client notices.
    if (asked.method === 'GET' && service.isContentStruck) return undefined
    throw error
  })
  if (!answer) return false
  // A repetition may be answered by its key, with what the request before it has made, though its own write came to nothing.
  const isByKey = isAgain && service.struck > 0
  if (answer.status === 503 || service.isDeletionStruck || isByKey) scene.left.push(...service.stored)
  if (answer.status === 503) {
    expect(service.isWell, 'UNAVAILABLE with nothing out of order').toBe(false)
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
    expect(answer.text).not.toMatch(inside)
    figures.unavailable++
    return false
  }
  if (inParts?.isPartial(answer.text)) {
    expect(service.isWell, 'some of it, with nothing out of order').toBe(false)
    figures.unavailable++
    return false
  }
  const said = shown(scene, answer)
  if (isAgain && repeated && isLike(said.body, repeated)) return true
  expect(said, 'the answer').toEqual(clean.answer)
  figures.correct++
  return true
}

const shown = (scene: Scene, { status, text, headers }: Answer) => ({
  status,
  body: status < 400 ? scene.masked(text) : codeOf(text),
  seq: headers.get('X-Inbox-Seq'),
})

function codeOf(text: string): unknown {
  const { code }: { code: string } = JSON.parse(text)
  return { code }
}

function isLike(body: unknown, members: Record<string, unknown>): boolean {
  const told = new Map<string, unknown>(Object.entries(Object(body)))
  return Object.entries(members).every(([name, value]) => told.get(name) === value)
}

/**
 * Fails unless everything is as if it had been asked once, or, if the client was not answered, at most once. To be asked
 * after a run of the job, if the scenario leaves anything to that. `expectAllSound` says whether the rows are sound.
 */
export async function expectOneEffect(
  { usable, inParts }: Scenario,
  clean: Clean,
  { scene }: Stage,
  isAnswered: boolean,
): Promise<void> {
  const picture = await scene.picture()
  const isOld = JSON.stringify(picture) === JSON.stringify(clean.before)
  if (inParts && !isAnswered) await inParts.holds(scene)
  else if (isAnswered || !isOld) expect(picture, 'as if it had been asked once').toEqual(clean.after)
  else
    for (const { id } of scene.arrived)
      expect(await env.BUCKET.head(id), 'what has arrived for what has not happened').not.toBeNull()
  if (isAnswered) await usable?.(scene)
}

/** Fails unless the rows of all users of these stages are sound. */
export async function expectAllSound(stages: Stage[]): Promise<void> {
  await expectCatalogue()
  await expectSound(...stages.flatMap(({ scene }) => [scene.ada.user_id, scene.bob.user_id]))
}

/** Fails if a page of the catalogue shows an asset of these stages that is not in it: whoever was answered relies on that. */
export async function expectShownRightly(stages: Stage[]): Promise<void> {
  const users = stages.flatMap(({ scene }) => [scene.ada.user_id, scene.bob.user_id])
  const assets = await everywhere<{ id: string }>(
    'SELECT id FROM game_assets WHERE owner_id IN (SELECT value FROM json_each(?))',
    JSON.stringify(users),
  )
  expect(await isShownAnywhere(assets.map(({ id }) => id)), 'what pages show and must not').toEqual([])
}

/** Fails if a part can still be sent: whatever was not joined must have been given up. */
export async function expectPartsGivenUp(uploads: InParts[]): Promise<void> {
  for (const { id, multipart_id } of uploads) {
    const part = env.BUCKET.resumeMultipartUpload(id, multipart_id ?? '').uploadPart(1, 'abc')
    await expect(part, 'a part of what is over').rejects.toThrow('(10024)')
  }
}

/** As long as something may wait for what will never come, before the proof says what it is. */
const FOR_EVER_MS = 20_000

/**
 * Fails with words where the run would only stand still: when nothing has been called and nothing is under way. No
 * assertion about speed.
 */
export async function inTime<Answer>(answer: Promise<Answer>, service: Faulty): Promise<Answer> {
  const stuck = Promise.withResolvers<never>()
  const says = () => new Error(`it still hangs, after ${service.calls.map(({ site }) => site).join(', ')}`)
  let seen = 0
  const look = () => {
    if (service.calls.length === seen && !service.isBusy) stuck.reject(says())
    seen = service.calls.length
  }
  const timer = setInterval(look, FOR_EVER_MS)
  try {
    return await Promise.race([answer, stuck.promise])
  } finally {
    clearInterval(timer)
  }
}
