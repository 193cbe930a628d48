import { abortAllDurableObjects, env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import {
  deleteSave,
  listRevisions,
  listSaves,
  readSave,
  restoreSave,
  writeSave,
} from '../../src/features/saves/call-saves.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { base64 } from '../../src/platform/lib/text.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { chances, rounds, tally } from '../support/race.ts'

const nothing = { mime_type: 'text/plain', device: null, label: null, played_seconds: null }
const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text)).buffer

async function write(
  ctx: RequestContext,
  text: string,
  if_match?: number[],
  keep = false,
  idempotency_key: string | null = null,
) {
  const bytes = bytesOf(text)
  const checksum_sha256 = base64(await crypto.subtle.digest('SHA-256', bytes))
  return writeSave(
    ctx,
    { slot: 'auto', bytes, keep, if_match, idempotency_key },
    { ...nothing, checksum_sha256 },
  )
}

async function textOf(ctx: RequestContext, revision?: number): Promise<string> {
  return new TextDecoder().decode((await readSave(ctx, 'auto', revision, {})).bytes)
}

/** The save that a refused write got. */
async function refusalOf(work: Promise<unknown>) {
  try {
    await work
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PRECONDITION_FAILED') return error.details
    throw error
  }
  return undefined
}

describe('writes of one slot', () => {
  it('let exactly one of eight with one If-Match through, and each other gets the save that is there', async () => {
    await chances(async (round) => {
      const ada = contextOf(newUserId())
      await write(ada, 'base')
      const refused: number[] = []
      const outcomes = await round.race(
        Array.from({ length: 8 }, (_, writer) => async () => {
          const refusal = await refusalOf(write(ada, `of ${writer}`, [1], writer % 2 === 1))
          if (!refusal) return `of ${writer}`
          expect(refusal.current).toMatchObject({ slot: 'auto', revision: 2 })
          refused.push(refusal.current?.revision ?? 0)
          return undefined
        }),
      )
      const winners = outcomes.flatMap(({ answer }) => answer ?? [])
      expect(winners).toHaveLength(1)
      expect(refused).toHaveLength(7)
      expect(await textOf(ada)).toBe(winners[0])
      const { revisions } = await listRevisions(ada, 'auto')
      const numbers = revisions.map(({ revision }) => revision)
      expect(new Set(numbers).size).toBe(numbers.length)
      expect(revisions.filter(({ is_current }) => is_current)).toMatchObject([{ revision: 2 }])
    })
  })

  it('of two devices that alternate, and merge what they meet, lose nothing', async () => {
    await chances(async (round) => {
      const ada = contextOf(newUserId())
      await write(ada, '')
      const device = (name: string) => async () => {
        for (let number = 0; number < 4; number++) {
          for (let isWritten = false; !isWritten; ) {
            const { save, bytes } = await readSave(ada, 'auto', undefined, {})
            const merged = `${new TextDecoder().decode(bytes)}${name}${number} `
            isWritten = (await refusalOf(write(ada, merged, [save.revision]))) === undefined
          }
        }
      }
      await round.race([device('a'), device('b')])
      const words = (await textOf(ada)).trim().split(' ')
      expect(words.toSorted()).toEqual(
        ['a', 'b'].flatMap((name) => [0, 1, 2, 3].map((number) => `${name}${number}`)),
      )
      expect((await listRevisions(ada, 'auto')).revisions[0]).toMatchObject({ revision: 9 })
    })
  })

  it('of devices that each add a coin to the same, and repeat their requests, count every acknowledged coin', async () => {
    await chances(async (round) => {
      const ada = contextOf(newUserId())
      await write(ada, '0')
      const device = (name: string) => async () => {
        for (let coins = 0; coins < 2; ) {
          const { save, bytes } = await readSave(ada, 'auto', undefined, {})
          const more = String(Number(new TextDecoder().decode(bytes)) + 1)
          const send = () => write(ada, more, [save.revision], false, `${name} ${save.revision}`)
          const [first, again] = await Promise.allSettled([send(), send()])
          expect(again).toEqual(first)
          if (first.status === 'fulfilled') coins++
        }
      }
      await round.race(['a', 'b', 'c'].map(device))
      expect(await textOf(ada)).toBe('6')
    })
  })

  it('and a restore of the same revision: one of them follows it, and the other is refused', async () => {
    await rounds(async (round) => {
      const ada = contextOf(newUserId())
      await write(ada, 'one')
      await write(ada, 'two')
      const outcomes = await round.race<unknown>([
        () => write(ada, 'three', [2]),
        () => restoreSave(ada, 'auto', 1, { if_match: [2] }),
      ])
      expect(tally(outcomes)).toBe('1 PRECONDITION_FAILED, 1 ok')
      expect(await textOf(ada)).toBe(outcomes[0]?.code ? 'one' : 'three')
      expect((await listRevisions(ada, 'auto')).revisions.map(({ revision }) => revision)).toEqual([3, 2, 1])
    })
  })

  it('and a deletion: what was written is there or can be restored, and no number is used twice', async () => {
    await rounds(async (round) => {
      const ada = contextOf(newUserId())
      await write(ada, 'one')
      const [written, deleted] = await round.race<unknown>([
        () => write(ada, 'two', [1]),
        () => deleteSave(ada, 'auto', { if_match: [1] }),
      ])
      expect(tally([written, deleted].flatMap((outcome) => outcome ?? []))).toBe(
        '1 PRECONDITION_FAILED, 1 ok',
      )
      if (written?.code) expect((await restoreSave(ada, 'auto', undefined, {})).revision).toBe(2)
      expect(await textOf(ada)).toBe(written?.code ? 'one' : 'two')

      const bob = contextOf(newUserId())
      await write(bob, 'one')
      const [free, gone] = await round.race<unknown>([
        () => write(bob, 'two'),
        () => deleteSave(bob, 'auto', {}),
      ])
      expect([free?.code, gone?.code]).toEqual([undefined, undefined])
      const { saves } = await listSaves(bob, false)
      const { saves: trashed } = await listSaves(bob, true)
      expect([...saves, ...trashed].map(({ revision }) => revision)).toEqual([2])
    })
  })

  it('and an erasure: a write is erased, or follows it as the first of a new account', async () => {
    await rounds(async (round) => {
      const ada = contextOf(newUserId())
      for (const text of ['one', 'two']) await write(ada, text)
      const object = env.SAVES.getByName(ada.user_id)
      const [conditional, free] = await round.race<unknown>([
        () => write(ada, 'three', [2]),
        () => write(ada, 'free'),
        async () => object.erase('mark-1'),
        async () => object.erase('mark-1'),
      ])
      const { saves } = await listSaves(ada, false)
      expect(saves.length).toBeLessThanOrEqual(1)
      const [left] = saves
      round.fork('a save is left', left !== undefined)
      if (left) {
        expect(left.revision).toBeGreaterThan(2)
        expect(await textOf(ada)).toBe('free')
      } else expect(free?.code).toBeUndefined()
      expect(['PRECONDITION_FAILED', undefined]).toContain(conditional?.code)
      await expect(write(ada, 'late', [2])).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    })
  })
})

describe('saves whose object is killed', () => {
  it('have every write that was acknowledged, before, between and during writes', async () => {
    await rounds(async (round) => {
      const ada = contextOf(newUserId())
      const acknowledged = new Map<number, string>()
      const save = async (text: string) => {
        const { save } = await write(ada, text)
        acknowledged.set(save.revision, text)
      }
      await save('before')
      await abortAllDurableObjects()
      await save('between')
      const outcomes = await round.race<unknown>([
        () => save('during 1'),
        () => save('during 2'),
        () => abortAllDurableObjects(),
      ])
      expect(outcomes.flatMap(({ code }) => code ?? []).filter((code) => code !== 'UNAVAILABLE')).toEqual([])
      await abortAllDurableObjects()
      for (const [revision, text] of acknowledged) expect(await textOf(ada, revision)).toBe(text)
      const numbers = (await listRevisions(ada, 'auto')).revisions.map(({ revision }) => revision)
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => numbers.length - index))
      expect(numbers.length).toBeGreaterThanOrEqual(acknowledged.size)
    })
  })
})
