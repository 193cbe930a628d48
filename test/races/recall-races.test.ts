import { abortAllDurableObjects, env, runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, describe, expect, inject, it } from 'vitest'
import {
  deleteSave,
  listRevisions,
  listSaves,
  readSave,
  restoreSave,
  writeSave,
} from '../../src/features/saves/call-saves.ts'
import { createRecall, endRecall } from '../../src/features/saves/recalls/create.ts'
import { knownRecalls } from '../../src/features/saves/recalls/known.ts'
import { inForce, type Recall } from '../../src/features/saves/recalls/row.ts'
import type { LaterContext, SavesContext } from '../../src/platform/context.ts'
import { base64 } from '../../src/platform/lib/text.ts'
import { HOUR } from '../../src/platform/lib/units.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { chances, type Outcome, rounds, tally } from '../support/race.ts'

const NOW_MS = Date.now()
const BROKEN = Math.floor(NOW_MS / 1_000) - 2 * HOUR
const BEFORE_MS = NOW_MS - 3 * HOUR * 1_000
const BROKEN_MS = BROKEN * 1_000
const server = {
  user_id: 'server',
  reads_as_studio: true,
  writes_as_studio: true,
  reads_as_support: false,
}
const nothing = { mime_type: 'text/plain', device: null, label: null, played_seconds: null }
const body = { from: BROKEN, until: BROKEN + HOUR, newer: 'keep' as const, reason: 'a patch' }

afterEach(async () => {
  await env.DB.batch([env.DB.prepare('DELETE FROM recalls'), env.DB.prepare('DELETE FROM recall_reports')])
})

const recallOf = (different: Partial<Recall> = {}): Recall => ({
  ...{ id: 'recall-1', number: 1, from: BROKEN, until: BROKEN + HOUR, reverts_newer: false, slots: null },
  ...different,
})

/** A player in an isolate of its own that knows these recalls. What it does after its answers is in `later`. */
function isolateOf(user_id: string, recalls: readonly Recall[], different: Partial<SavesContext> = {}) {
  const later: Promise<void>[] = []
  const ctx = contextOf(user_id, {
    afterwards: (work) => {
      later.push(work(ctx as LaterContext))
    },
  })
  knownRecalls.keep(ctx, {
    version: Math.max(0, ...recalls.map(({ number }) => number)),
    recalls: [...recalls],
  })
  return { ctx: { ...ctx, ...different }, later }
}

async function write(ctx: SavesContext, text: string, if_match?: number[], slot = 'auto') {
  const bytes = Uint8Array.from(new TextEncoder().encode(text)).buffer
  const checksum_sha256 = base64(await crypto.subtle.digest('SHA-256', bytes))
  const request = { slot, bytes, keep: false, if_match, idempotency_key: null }
  return (await writeSave(ctx, request, { ...nothing, checksum_sha256 })).save
}

const textOf = async (ctx: SavesContext, slot = 'auto', revision?: number) =>
  new TextDecoder().decode((await readSave(ctx, slot, revision, {})).bytes)

/** A player with a good revision and a broken one, without any recall. */
async function broken(slot = 'auto') {
  const user_id = newUserId()
  const { ctx } = isolateOf(user_id, [])
  const past = contextOf(user_id)
  await write({ ...past, now_ms: BEFORE_MS }, 'good', undefined, slot)
  await write({ ...past, now_ms: BROKEN_MS }, 'broken', undefined, slot)
  return { user_id, ctx }
}

const reverted = async (ctx: SavesContext) =>
  (await listRevisions(ctx, 'auto')).revisions.filter(({ recall_id }) => recall_id !== null).length

describe('a recall that one isolate knows', () => {
  it('and the write of a device through another: a conflict, or played on; the recall comes once', async () => {
    await rounds(async (round) => {
      const { user_id, ctx } = await broken()
      const aware = isolateOf(user_id, [recallOf()]).ctx
      const [written, ...reads] = await round.race<unknown>([
        () => write(ctx, 'played on', [2]),
        () => textOf(aware),
        () => listSaves(aware, false),
      ])
      const isConflict = written?.code === 'PRECONDITION_FAILED'
      const isFirst = reads.map((read) => round.isBefore(written, read)).every(Boolean)
      if (isFirst) expect(isConflict).toBe(false)
      round.fork('the recall came first', isConflict)
      expect(await textOf(aware)).toBe(isConflict ? 'good' : 'played on')
      expect(await reverted(aware)).toBe(isConflict ? 1 : 0)
    })
  })

  it('and a server and the player who write the same revision: one of three follows it', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { user_id, ctx } = await broken()
      const recall = recallOf({ reverts_newer: round.variant === 1 })
      const aware = isolateOf(user_id, [recall]).ctx
      const [player, ofServer, looked] = await round.race<unknown>([
        () => write(ctx, 'player', [2]),
        () => write({ ...ctx, acting: server }, 'server', [2]),
        () => listSaves(aware, false),
      ])
      const wins = [player, ofServer].filter((one) => one?.code === undefined)
      expect(wins.length).toBeLessThanOrEqual(1)
      const { revisions } = await listRevisions(aware, 'auto')
      expect(revisions.filter(({ is_current }) => is_current)).toHaveLength(1)
      const winner = player?.code ? 'server' : 'player'
      const goesBack = wins.length === 0 || round.variant === 1
      expect(await textOf(aware)).toBe(goesBack ? 'good' : winner)
      expect(await reverted(aware)).toBe(goesBack ? 1 : 0)
      if (wins.length === 1)
        expect(revisions.find(({ revision }) => revision === 3)?.written_by).toBe(
          winner === 'server' ? 'server' : null,
        )
      if (round.isBefore(looked, player)) expect(player?.code).toBe('PRECONDITION_FAILED')
    })
  })

  it('and a restore, a deletion and an erasure: nothing comes back that was not asked for', async () => {
    await rounds({ variants: 3 }, async (round) => {
      const { user_id, ctx } = await broken()
      const aware = isolateOf(user_id, [recallOf()]).ctx
      const act = [
        () => restoreSave(ctx, 'auto', 2, {}),
        () => deleteSave(ctx, 'auto', {}),
        () => env.SAVES.getByName(user_id).erase('mark-1'),
      ][round.variant]
      const [done] = await round.race<unknown>([async () => act?.(), () => listSaves(aware, false)])
      expect(done?.code).toBeUndefined()
      const { saves } = await listSaves(aware, false)
      // Whether it came before the recall, and counts as played on, or after it, and undoes it.
      if (round.variant === 0) expect(await textOf(aware)).toBe('broken')
      else expect(saves).toEqual([])
      if (round.variant === 1) {
        await restoreSave(aware, 'auto', undefined, {})
        expect(['broken', 'good']).toContain(await textOf(aware))
        expect(await reverted(aware)).toBeLessThanOrEqual(1)
      }
    })
  })

  it('is applied once by any number of isolates, of which some know an older list', async () => {
    await chances(async (round) => {
      const { user_id } = await broken()
      const [first, second] = [recallOf({ reverts_newer: true }), recallOf({ id: 'recall-2', number: 2 })]
      const isolates = [[], [first], [first, second], [second], [first]].map((known) =>
        isolateOf(user_id, known),
      )
      await round.race<unknown>(
        isolates.flatMap(({ ctx }) => [() => textOf(ctx), () => listSaves(ctx, false)]),
      )
      const { ctx } = isolateOf(user_id, [first, second])
      expect(await reverted(ctx)).toBe(1)
      await restoreSave(ctx, 'auto', 2, {})
      await round.race(
        isolates.map(
          ({ ctx }) =>
            () =>
              textOf(ctx),
        ),
      )
      expect(await textOf(ctx), 'what the player restored stays').toBe('broken')
    })
  })
})

describe('an isolate that knows no recall', () => {
  it('has a write of an old device put into the history, whatever comes between its answer and the list', async () => {
    await rounds({ count: Math.max(2, inject('proof').rounds) }, async (round) => {
      const { user_id } = await broken()
      const made = await createRecall(contextOf(newUserId()), body)
      const device = isolateOf(user_id, [])
      // An isolate that has read nothing for a minute.
      const forgotten = { ...device.ctx, now_ms: Date.now() + 2 * HOUR * 1_000 }
      const aware = isolateOf(user_id, [inForce(made)]).ctx
      const [written, read] = await round.race<unknown>([
        async () => {
          const save = await write(forgotten, 'old device', [2])
          await Promise.all(device.later)
          return save
        },
        () => textOf(aware),
      ])
      const isConflict = written?.code === 'PRECONDITION_FAILED'
      if (round.isBefore(read, written)) expect(isConflict).toBe(true)
      round.fork('the device was first', !isConflict)
      await Promise.all(device.later)
      const now = await textOf(aware)
      // Between its answer and the list, another isolate may have taken the write for played on.
      if (now !== 'good') expect(now).toBe('old device')
      round.fork('the save is the good one', now === 'good')
      if (round.isBefore(written, read)) expect(now).toBe('good')
      await endRecall(contextOf(newUserId()), made.id)
    })
  })
})

describe('the list of recalls', () => {
  it('takes as many as MAX_RECALLS of requests that come at once, and one for each key', async () => {
    await chances({ count: 4 }, async (round) => {
      const made: Outcome<{ id: string }>[] = await round.race(
        Array.from({ length: 8 }, () => () => createRecall(contextOf(newUserId()), body)),
      )
      expect(tally(made)).toBe('3 LIMIT_REACHED, 5 ok')
      const ids = made.flatMap(({ answer }) => answer?.id ?? [])
      const numbers = await env.DB.prepare('SELECT number FROM recalls WHERE ended_at IS NULL').all()
      expect(new Set(numbers.results.map(({ number }) => number)).size).toBe(5)
      await round.race([...ids, ...ids].map((id) => () => endRecall(contextOf(newUserId()), id)))
      expect((await knownRecalls.read(contextOf(newUserId()))).recalls).toEqual([])
    })
  })

  it('of an isolate is never older than what it has heard, whatever order changes and readings come in', async () => {
    await chances(async (round) => {
      const studio = contextOf(newUserId())
      await round.race<unknown>([
        async () => endRecall(studio, (await createRecall(studio, body)).id),
        () => knownRecalls.read(studio),
        async () => endRecall(studio, (await createRecall(studio, body)).id),
        () => knownRecalls.read(studio),
      ])
      expect(knownRecalls.look(studio).list).toEqual(await knownRecalls.read(contextOf(newUserId())))
    })
  })
})

describe('the counts of a recall', () => {
  it('are those of all players, whose objects are killed, report at once, and report again', async () => {
    await rounds({ count: 2 }, async (round) => {
      const made = await createRecall(contextOf(newUserId()), body)
      const players = await Promise.all(Array.from({ length: 4 }, () => broken()))
      const known = [inForce(made)]
      await round.race<unknown>([
        ...players.map(
          ({ user_id }) =>
            () =>
              listSaves(isolateOf(user_id, known).ctx, false),
        ),
        () => abortAllDurableObjects(),
      ])
      for (const { user_id } of players) await listSaves(isolateOf(user_id, known).ctx, false)
      const due = () =>
        players.map(
          ({ user_id }) =>
            () =>
              runDurableObjectAlarm(env.SAVES.getByName(user_id)).catch(() => undefined),
        )
      await round.race<unknown>([...due(), ...due(), () => abortAllDurableObjects()])
      // The platform runs an alarm again that was cut off. Here the next request sets it.
      for (const { user_id } of players) await listSaves(isolateOf(user_id, known).ctx, false)
      for (const run of due()) await run()
      const counts = await env.DB.prepare('SELECT player_count, slot_count FROM recalls WHERE id = ?')
        .bind(made.id)
        .first()
      expect(counts).toEqual({ player_count: 4, slot_count: 4 })
      await endRecall(contextOf(newUserId()), made.id)
    })
  })
})
