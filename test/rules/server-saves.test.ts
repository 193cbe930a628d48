import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import {
  deleteSave,
  listRevisions,
  listSaves,
  readSave,
  restoreSave,
  writeSave,
} from '../../src/features/saves/call-saves.ts'
import { steps } from '../../src/features/saves/migrations.ts'
import type { Config } from '../../src/platform/config/variables.ts'
import type { SavesActor, SavesContext } from '../../src/platform/context.ts'
import { base64 } from '../../src/platform/lib/text.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { newSaves, rulesWith, writeOf } from '../support/saves-object.ts'

const studio: SavesActor = {
  user_id: 'progress-server',
  reads_as_studio: true,
  writes_as_studio: true,
  reads_as_support: false,
}
const support: SavesActor = {
  user_id: 'support-mia',
  reads_as_studio: false,
  writes_as_studio: false,
  reads_as_support: true,
}

/** The saves of a player, as the player, the studio's server and support reach them. */
function savesOf(user_id: string, limits: Partial<Config> = {}) {
  const player: SavesContext = contextOf(user_id, {}, limits)
  return {
    player,
    server: { ...player, acting: studio },
    mia: { ...player, acting: support },
  }
}

async function write(
  ctx: SavesContext,
  slot: string,
  text: string,
  { if_match }: { if_match?: number[] } = {},
) {
  const bytes = Uint8Array.from(new TextEncoder().encode(text)).buffer
  const checksum_sha256 = base64(await crypto.subtle.digest('SHA-256', bytes))
  const nothing = { mime_type: 'text/plain', device: null, label: null, played_seconds: null }
  return writeSave(
    ctx,
    { slot, bytes, keep: false, if_match, idempotency_key: null },
    { ...nothing, checksum_sha256 },
  )
}

const textOf = async (ctx: SavesContext, slot: string) =>
  new TextDecoder().decode((await readSave(ctx, slot, undefined, {})).bytes)
const namesFor = async (ctx: SavesContext, deleted = false) =>
  (await listSaves(ctx, deleted)).saves.map(({ slot }) => slot)

describe('a slot of the studio’s servers', () => {
  it('is read by the player and by support, and changed by neither, whether it is there or not', async () => {
    const { player, server, mia } = savesOf(newUserId())
    for (const isThere of [false, true]) {
      if (isThere) await write(server, 'server.bag', 'gold')
      for (const ctx of [player, mia]) {
        const changes = [
          write(ctx, 'server.bag', 'more gold'),
          restoreSave(ctx, 'server.bag', 1, {}),
          restoreSave(ctx, 'server.bag', undefined, { if_match: [9] }),
          deleteSave(ctx, 'server.bag', {}),
        ]
        for (const change of changes) await expect(change).rejects.toMatchObject({ code: 'SAVE_READ_ONLY' })
      }
    }
    for (const ctx of [player, mia]) expect(await textOf(ctx, 'server.bag')).toBe('gold')
    expect((await listRevisions(player, 'server.bag')).revisions).toMatchObject([
      { written_by: 'progress-server', recall_id: null },
    ])
    expect(await namesFor(player)).toEqual(['server.bag'])
  })

  it('that is hidden is found by no reading of the player or of support, and is in no list of theirs', async () => {
    const { player, server, mia } = savesOf(newUserId())
    await write(server, 'server.hidden.score', 'suspicious')
    await write(server, 'server.hidden.gone', 'x')
    await deleteSave(server, 'server.hidden.gone', {})
    for (const ctx of [player, mia]) {
      const reads = [
        readSave(ctx, 'server.hidden.score', undefined, {}),
        readSave(ctx, 'server.hidden.score', 1, { if_none_match: [1] }),
        listRevisions(ctx, 'server.hidden.score'),
      ]
      for (const read of reads) await expect(read).rejects.toMatchObject({ code: 'SAVE_NOT_FOUND' })
      await expect(write(ctx, 'server.hidden.score', 'fine')).rejects.toMatchObject({
        code: 'SAVE_READ_ONLY',
      })
      for (const deleted of [false, true])
        expect(await listSaves(ctx, deleted)).toEqual({ saves: [], used_bytes: 0, limit_bytes: 8_388_608 })
    }
    expect(await textOf(server, 'server.hidden.score')).toBe('suspicious')
    expect(await namesFor(server)).toEqual(['server.hidden.score'])
    expect(await namesFor(server, true)).toEqual(['server.hidden.gone'])
  })

  it('is written under the conditions of every save, and restored and deleted by the server', async () => {
    const { server } = savesOf(newUserId())
    await write(server, 'server.bag', 'one')
    expect((await write(server, 'server.bag', 'two', { if_match: [1] })).save).toMatchObject({ revision: 2 })
    await expect(write(server, 'server.bag', 'late', { if_match: [1] })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      details: { current: { revision: 2, written_by: 'progress-server' } },
    })
    expect(await restoreSave(server, 'server.bag', 1, { if_match: [2] })).toMatchObject({ revision: 3 })
    await deleteSave(server, 'server.bag', { if_match: [3] })
    expect(await restoreSave(server, 'server.bag', undefined, {})).toMatchObject({ revision: 4 })
  })

  it('has a limit and a room of its own, which only the studio sees', async () => {
    const limits = { MAX_SAVE_SLOTS: 1, SAVE_BYTES: 10, MAX_SERVER_SLOTS: 2, SERVER_SAVE_BYTES: 20 }
    const { player, server } = savesOf(newUserId(), limits)
    await write(player, 'auto', 'x'.repeat(9))
    await write(server, 'server.one', 'x'.repeat(10))
    await write(server, 'server.one', 'x'.repeat(4))
    await write(server, 'server.two', 'x'.repeat(6))
    await expect(write(server, 'server.three', 'x')).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      details: { limit: 'server_slots' },
    })
    await expect(write(server, 'manual', 'x')).rejects.toMatchObject({ details: { limit: 'save_slots' } })
    await expect(write(server, 'server.two', 'x'.repeat(17))).rejects.toMatchObject({
      details: { used_bytes: 4, limit_bytes: 20, needed_bytes: 17 },
    })
    expect((await listRevisions(player, 'auto')).revisions, 'the player’s made no room').toHaveLength(1)
    expect(await listSaves(server, false)).toMatchObject({
      used_bytes: 9,
      limit_bytes: 10,
      server_used_bytes: 20,
      server_limit_bytes: 20,
    })
    const list = await listSaves(player, false)
    expect([list.used_bytes, Object.keys(list)]).toEqual([9, ['saves', 'used_bytes', 'limit_bytes']])
    await deleteSave(server, 'server.one', {})
    await write(server, 'server.three', 'x')
    expect(await textOf(player, 'auto')).toBe('x'.repeat(9))
  })
})

describe('a save that somebody writes on behalf of the player', () => {
  it('says who wrote or restored it, and the player’s own says nobody', async () => {
    const { player, server, mia } = savesOf(newUserId())
    await write(player, 'auto', 'own')
    await write(server, 'auto', 'of the server')
    await restoreSave(mia, 'auto', 1, {})
    await restoreSave(player, 'auto', 2, {})
    expect((await listRevisions(player, 'auto')).revisions.map(({ written_by }) => written_by)).toEqual([
      null,
      'support-mia',
      'progress-server',
      null,
    ])
  })

  it('is no repetition of the player’s: equal bytes under one condition are a conflict', async () => {
    const { player, server } = savesOf(newUserId())
    await write(player, 'auto', 'base')
    await write(server, 'auto', 'same', { if_match: [1] })
    await expect(write(player, 'auto', 'same', { if_match: [1] })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      details: { current: { revision: 2, written_by: 'progress-server' } },
    })
    expect((await write(server, 'auto', 'same', { if_match: [1] })).save.revision).toBe(2)
  })

  it('is UNAVAILABLE while the object runs the code of before, which would call it the player’s', async () => {
    const { player, server } = savesOf(newUserId())
    const SAVES = env.OLDER_SAVES
    const change = write({ ...server, saves: SAVES }, 'auto', 'x')
    await expect(change).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(restoreSave({ ...server, saves: SAVES }, 'auto', 1, {})).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    expect(await namesFor(player)).toEqual([])
  })
})

it('saves from before keep what they have, and were written by the player', async () => {
  const saves = newSaves()
  await runInDurableObject(saves, (_, { storage: { sql, kv } }) => {
    for (const step of steps.slice(0, 1)) sql.exec(step)
    kv.put('schema_version', 1)
    sql.exec(
      `INSERT INTO revisions (slot, revision, last_revision, change_number, is_kept, made_slot, created_at, updated_at, size_bytes,
        mime_type, checksum_sha256, bytes) VALUES ('auto', 1, 1, 1, 0, 1, 5, 5, 1, 'text/plain', 'sum', CAST('x' AS BLOB))`,
    )
  })
  await evictDurableObject(saves)
  const read = await saves.read('auto', undefined, {}, rulesWith())
  expect(read).toMatchObject({ save: { revision: 1, written_by: null, recall_id: null } })
  expect(await saves.writeFor('server', writeOf('auto', 'y'), rulesWith())).toMatchObject({
    save: { revision: 2, written_by: 'server' },
  })
})
