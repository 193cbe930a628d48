import { describe, expect, it } from 'vitest'
import { newPlayer, type Player } from '../support/saves.ts'

const ANY = { 'If-Match': '*' }
const NEW = { 'If-None-Match': '*' }
const follows = (...revisions: number[]) => ({
  'If-Match': revisions.map((revision) => `"${revision}"`).join(', '),
})

/** Status and revision of an answer, or status and what it says of the save that is there. */
function short({ status, body }: { status: number; body: unknown }) {
  const { revision, current, kept_revision } = body as Record<string, number | { revision: number }>
  return [status, revision ?? (typeof current === 'object' ? current.revision : current), kept_revision]
}

async function playerAt(revision: number): Promise<Player> {
  const player = await newPlayer()
  for (let number = 1; number <= revision; number++) await player.save('auto', `text ${number}`)
  return player
}

describe('a write', () => {
  it('without a condition replaces whatever is there, and a repetition is a write of its own', async () => {
    const ada = await newPlayer()
    expect(short(await ada.write('auto', 'one'))).toEqual([201, 1, undefined])
    expect(short(await ada.write('auto', 'one'))).toEqual([200, 2, undefined])
  })

  it('with If-Match replaces only one of the revisions that it names', async () => {
    const ada = await playerAt(3)
    for (const stale of [follows(2), follows(1, 2), follows(4), { 'If-Match': '"other"' }]) {
      const answer = await ada.write('auto', 'mine', stale)
      expect(answer).toBeProblem(412, 'PRECONDITION_FAILED')
      expect(answer.body).toHaveProperty('current', (await ada.list()).saves[0])
      expect(answer.body).not.toHaveProperty('kept_revision')
    }
    expect(await ada.content('auto')).toBe('text 3')
    expect(short(await ada.write('auto', 'mine', follows(2, 3)))).toEqual([200, 4, undefined])
    expect(short(await ada.write('auto', 'again', { 'If-Match': 'W/"4"' }))).toEqual([200, 5, undefined])
    expect(short(await ada.write('auto', 'any', ANY))).toEqual([200, 6, undefined])
  })

  it('with If-Match fails without `current` when the slot is empty or deleted, also with *', async () => {
    const ada = await playerAt(1)
    await ada.delete('auto')
    for (const slot of ['auto', 'never'])
      for (const condition of [follows(1), ANY]) {
        const answer = await ada.write(slot, 'mine', condition, '?keep=true')
        expect(answer).toBeProblem(412, 'PRECONDITION_FAILED')
        expect(answer.body).not.toHaveProperty('current')
        expect(answer.body).not.toHaveProperty('kept_revision')
      }
    expect((await ada.list()).saves).toEqual([])
  })

  it('with If-None-Match: * makes only a new slot', async () => {
    const ada = await newPlayer()
    expect(short(await ada.write('auto', 'one', NEW))).toEqual([201, 1, undefined])
    expect(short(await ada.write('auto', 'two', NEW))).toEqual([412, 1, undefined])
    await ada.delete('auto')
    expect(short(await ada.write('auto', 'two', NEW))).toEqual([201, 2, undefined])
    expect(short(await ada.write('auto', 'x', { 'If-None-Match': '"2"' }))).toEqual([412, 2, undefined])
    expect(short(await ada.write('auto', 'x', { 'If-None-Match': '"1"' }))).toEqual([200, 3, undefined])
  })

  it('with both conditions needs both, so that with If-None-Match: * it always fails', async () => {
    const ada = await newPlayer()
    expect((await ada.write('auto', 'one', { ...ANY, ...NEW })).status).toBe(412)
    await ada.write('auto', 'one', NEW)
    for (const condition of [ANY, follows(1)])
      expect(short(await ada.write('auto', 'one', { ...condition, ...NEW }))).toEqual([412, 1, undefined])
    expect(short(await ada.write('auto', 'x', { ...follows(1), 'If-None-Match': '"7"' }))[0]).toBe(200)
  })

  it('refuses a malformed condition', async () => {
    const ada = await playerAt(1)
    for (const [name, path] of [
      ['If-Match', '/if-match'],
      ['If-None-Match', '/if-none-match'],
    ] as const)
      expect(await ada.write('auto', 'x', { [name]: '1' })).toBeProblem(400, 'VALIDATION_FAILED', path)
  })
})

describe('a repeated write whose answer was lost', () => {
  it('answers as the first did when it is what followed the condition, and writes nothing', async () => {
    const ada = await newPlayer()
    for (const [headers, status] of [
      [NEW, 201],
      [follows(1), 200],
      [follows(1, 2), 200],
    ] as const) {
      const first = await ada.write('auto', `after ${status} ${Object.values(headers)}`, headers)
      const again = await ada.write('auto', `after ${status} ${Object.values(headers)}`, headers)
      expect(first.status).toBe(status)
      expect([again.status, again.body, again.headers.get('ETag')]).toEqual([
        status,
        first.body,
        first.headers.get('ETag'),
      ])
    }
    expect(await ada.revisions('auto')).toHaveLength(3)
  })

  it('is refused with other bytes, other metadata, another condition, or when something else is current', async () => {
    const ada = await newPlayer()
    await ada.write('auto', 'one', NEW)
    await ada.write('auto', 'two', { ...follows(1), 'Save-Label': 'Two' })
    for (const [text, headers] of [
      ['other', { ...follows(1), 'Save-Label': 'Two' }],
      ['two', follows(1)],
      ['two', { ...follows(1), 'Save-Label': 'Two', 'Content-Type': 'text/plain' }],
      ['two', { ...follows(1), 'Save-Label': 'Two', 'Save-Device': 'other' }],
      ['two', { ...follows(1), 'Save-Label': 'Two', 'Save-Played-Seconds': '1' }],
      ['two', { ...follows(1, 7), 'Save-Label': 'Two' }],
      ['two', { ...NEW, 'Save-Label': 'Two' }],
      ['one', NEW],
    ] as const)
      expect(short(await ada.write('auto', text, headers)), JSON.stringify(headers)).toEqual([
        412,
        2,
        undefined,
      ])
    await ada.save('auto', 'three')
    expect(short(await ada.write('auto', 'two', { ...follows(1), 'Save-Label': 'Two' }))).toEqual([
      412,
      3,
      undefined,
    ])
  })

  it('under If-None-Match with ETags is recognised once the condition is refused, kept or not', async () => {
    const ada = await playerAt(1)
    const other = { 'If-None-Match': '"2"' }
    expect(short(await ada.write('auto', 'two', other, '?keep=true'))).toEqual([200, 2, undefined])
    expect(short(await ada.write('auto', 'two', other, '?keep=true'))).toEqual([200, 2, undefined])
    for (let time = 0; time < 2; time++)
      expect(short(await ada.write('auto', 'mine', other, '?keep=true'))).toEqual([412, 2, 3])
    expect(await ada.revisions('auto')).toHaveLength(3)
  })

  it('holds for a restore too', async () => {
    const ada = await playerAt(3)
    const first = await ada.restore('auto', { revision: 1 }, follows(3))
    expect(short(first)).toEqual([200, 4, undefined])
    expect((await ada.restore('auto', { revision: 1 }, follows(3))).body).toEqual(first.body)
    expect(short(await ada.restore('auto', { revision: 2 }, follows(3)))).toEqual([412, 4, undefined])
    await ada.delete('auto', follows(4))
    const back = await ada.restore('auto', {}, follows(4))
    expect(short(back)).toEqual([200, 5, undefined])
    expect((await ada.restore('auto', {}, follows(4))).body).toEqual(back.body)
    expect((await ada.restore('auto')).body).toEqual(back.body)
    expect(short(await ada.restore('auto', {}, follows(3)))).toEqual([412, 5, undefined])
  })
})

describe('an Idempotency-Key of a write', () => {
  const keyed = (key: string, headers: Record<string, string> = {}) => ({
    'Idempotency-Key': key,
    ...headers,
  })

  it('tells the repetition of one device from equal bytes of another over the same revision', async () => {
    const ada = await playerAt(1)
    const first = await ada.write('auto', '6 coins', keyed('phone', follows(1)))
    expect(short(first)).toEqual([200, 2, undefined])
    expect((await ada.write('auto', '6 coins', keyed('phone', follows(1)))).body).toEqual(first.body)
    expect(short(await ada.write('auto', '6 coins', keyed('tablet', follows(1))))).toEqual([
      412,
      2,
      undefined,
    ])
    expect(short(await ada.write('auto', '6 coins', follows(1))), 'without a key').toEqual([
      412,
      2,
      undefined,
    ])
    expect(await ada.revisions('auto')).toHaveLength(2)
  })

  it('gets the answer of the first also after another write or a deletion, as long as its revision is kept', async () => {
    const ada = await newPlayer()
    const write = () => ada.write('auto', 'mine', keyed('phone'))
    const first = await write()
    expect(short(first)).toEqual([201, 1, undefined])
    await ada.save('auto', 'theirs', follows(1))
    const again = await write()
    expect([again.status, again.body, again.headers.get('ETag')]).toEqual([201, first.body, '"1"'])
    expect(await ada.content('auto')).toBe('theirs')
    await ada.delete('auto')
    expect((await write()).body).toEqual(first.body)
    expect((await ada.list()).saves).toEqual([])
    await ada.save('auto', 'new')
    expect(short(await write()), 'its revision is gone').toEqual([200, 4, undefined])
  })

  it('is no key any more when its revision has made room: the condition decides', async () => {
    const ada = await playerAt(1)
    await ada.write('auto', 'mine', keyed('phone', follows(1)))
    for (let revision = 2; revision <= 6; revision++) await ada.save('auto', 'theirs', follows(revision))
    expect(short(await ada.write('auto', 'mine', keyed('phone', follows(1))))).toEqual([412, 7, undefined])
  })

  it('that came with another request is IDEMPOTENCY_KEY_REUSED, and changes nothing', async () => {
    const ada = await newPlayer()
    await ada.write('auto', 'one', keyed('key', NEW))
    for (const [slot, text, headers] of [
      ['auto', 'two', NEW],
      ['auto', 'one', follows(1)],
      ['auto', 'one', {}],
      ['other', 'one', NEW],
      ['auto', 'one', { ...NEW, 'Save-Label': 'One' }],
      ['auto', 'one', { ...NEW, 'Content-Type': 'text/plain' }],
    ] as const)
      expect(await ada.write(slot, text, keyed('key', headers))).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect((await ada.list()).saves).toMatchObject([{ slot: 'auto', revision: 1 }])
    const long = await ada.write('auto', 'x', keyed('x'.repeat(256)))
    expect(long).toBeProblem(400, 'VALIDATION_FAILED', '/idempotency-key')
  })

  it('of a refused write keeps its bytes once, each for its own device, and never makes them current', async () => {
    const ada = await playerAt(2)
    const keep = (key: string) => ada.write('auto', 'mine', keyed(key, follows(1)), '?keep=true')
    expect(short(await keep('phone'))).toEqual([412, 2, 3])
    expect(short(await keep('tablet'))).toEqual([412, 2, 4])
    await ada.save('auto', 'theirs', follows(2))
    expect(short(await keep('phone'))).toEqual([412, 5, 3])
    const restored = await ada.restore('auto', { revision: 3 }, follows(5))
    expect(short(restored)).toEqual([200, 6, undefined])
    expect(short(await keep('phone')), 'the restored one has no key').toEqual([412, 6, 3])
  })

  it('of a refused write that kept nothing is judged anew', async () => {
    const ada = await playerAt(1)
    const write = () => ada.write('auto', 'mine', keyed('phone', NEW))
    expect(short(await write())).toEqual([412, 1, undefined])
    await ada.delete('auto')
    expect(short(await write())).toEqual([201, 2, undefined])
    expect(short(await write())).toEqual([201, 2, undefined])
  })

  it('is of one player', async () => {
    const [ada, bob] = [await newPlayer(), await newPlayer()]
    for (const player of [ada, bob])
      expect(short(await player.write('auto', 'one', keyed('key', NEW)))).toEqual([201, 1, undefined])
  })
})

describe('?keep=true', () => {
  it('keeps refused bytes once, as a revision that is not current and can become it', async () => {
    const ada = await playerAt(2)
    const keep = (text: string, headers: Record<string, string> = follows(1)) =>
      ada.write('auto', text, { ...headers, 'Save-Device': 'tablet' }, '?keep=true')
    expect(short(await keep('mine'))).toEqual([412, 2, 3])
    expect(short(await keep('mine')), 'a repetition').toEqual([412, 2, 3])
    await ada.save('auto', 'theirs', follows(2))
    expect(short(await keep('mine')), 'a repetition after another write').toEqual([412, 4, 3])
    expect(short(await keep('other')), 'other bytes').toEqual([412, 4, 5])
    expect(short(await keep('mine', follows(2))), 'another condition').toEqual([412, 4, 6])
    expect(await ada.content('auto')).toBe('theirs')
    expect(await ada.content('auto?revision=3')).toBe('mine')
    const kept = (await ada.revisions('auto')).find(({ revision }) => revision === 3)
    expect(kept).toMatchObject({ device: 'tablet', is_current: false, is_kept: true })
    const merged = await ada.restore('auto', { revision: 3 }, follows(4))
    expect(merged.body).toMatchObject({ revision: 7, device: 'tablet' })
    const listed = (await ada.revisions('auto')).filter(({ is_kept }) => is_kept)
    expect(listed.map(({ revision }) => revision)).toEqual([6, 5, 3])
    expect(await ada.content('auto')).toBe('mine')
  })

  it('writes as ever when the condition holds, and its lost answer is that of the write', async () => {
    const ada = await playerAt(1)
    for (let time = 0; time < 2; time++)
      expect(short(await ada.write('auto', 'mine', follows(1), '?keep=true'))).toEqual([200, 2, undefined])
    expect(short(await ada.write('auto', 'x', {}, '?keep=true'))).toEqual([200, 3, undefined])
  })
})

describe('a deletion and a restore', () => {
  it('take If-Match, and a slot that is not there is SAVE_NOT_FOUND', async () => {
    const ada = await playerAt(2)
    expect(short(await ada.delete('auto', follows(1)))).toEqual([412, 2, undefined])
    expect(short(await ada.restore('auto', { revision: 1 }, follows(1)))).toEqual([412, 2, undefined])
    expect((await ada.delete('auto', follows(2))).status).toBe(204)
    for (const headers of [{}, ANY, follows(2)]) {
      expect(await ada.delete('auto', headers)).toBeProblem(404, 'SAVE_NOT_FOUND')
      expect(await ada.restore('never', {}, headers)).toBeProblem(404, 'SAVE_NOT_FOUND')
    }
    expect((await ada.restore('auto', {}, ANY)).status).toBe(200)
  })
})
