import { describe, expect, it } from 'vitest'
import { newPlayer } from '../support/saves.ts'
import { serviceWith } from '../support/service.ts'

describe('PUT /v1/saves/{slot}', () => {
  it('takes any bytes, and answers with their SHA-256', async () => {
    const ada = await newPlayer()
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256)
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    const save = await ada.save('auto', bytes)
    expect(save).toMatchObject({
      size_bytes: 70_000,
      mime_type: 'application/octet-stream',
      checksum_sha256: btoa(String.fromCharCode(...hash)),
    })
    expect(new Uint8Array(await (await ada.fetch('auto')).arrayBuffer())).toEqual(bytes)
    expect(await ada.save('empty', '')).toMatchObject({ size_bytes: 0 })
    expect((await (await ada.fetch('empty')).arrayBuffer()).byteLength).toBe(0)
  })

  it('takes as many bytes as MAX_SAVE_BYTES says, also the most that it may say', async () => {
    const ada = (await newPlayer()).through(serviceWith({ MAX_SAVE_BYTES: '1900000' }))
    expect((await ada.write('auto', new Uint8Array(1_900_000).fill(255))).status).toBe(201)
    expect(await ada.write('auto', new Uint8Array(1_900_001))).toBeProblem(413, 'BODY_TOO_LARGE', '1900000')
    const usual = await newPlayer()
    expect((await usual.write('auto', new Uint8Array(1024 ** 2))).status).toBe(201)
    expect(await usual.write('auto', new Uint8Array(1024 ** 2 + 1))).toBeProblem(413, 'BODY_TOO_LARGE')
  })

  it('takes the names of slots that the contract allows, case and all, and no others', async () => {
    const ada = await newPlayer()
    const names = ['a', 'A', '...', '-', '_.-', 'x'.repeat(64)]
    for (const name of names) expect((await ada.write(name, name)).status, name).toBe(201)
    for (const name of names) expect(await ada.content(name)).toBe(name)
    for (const name of ['x'.repeat(65), 'a%20b', 'ä', 'a%2Fb', 'a%00', 'a:b', 'a%0A']) {
      expect(await ada.write(name, 'x'), name).toBeProblem(400, 'VALIDATION_FAILED', '/slot')
      expect(await ada.user.get(`/saves/${name}`), name).toBeProblem(404, 'SAVE_NOT_FOUND')
      expect(await ada.user.get(`/saves/${name}/revisions`), name).toBeProblem(404, 'SAVE_NOT_FOUND')
      expect(await ada.restore(name), name).toBeProblem(404, 'SAVE_NOT_FOUND')
      expect(await ada.delete(name), name).toBeProblem(404, 'SAVE_NOT_FOUND')
    }
  })

  it('takes metadata in percent-encoded UTF-8 of as many code points as the contract allows', async () => {
    const ada = await newPlayer()
    const headers = (device: string, label: string) => ({
      'Save-Device': encodeURIComponent(device),
      'Save-Label': encodeURIComponent(label),
    })
    const [device, label] = ['🎮'.repeat(64), '🎮'.repeat(255)]
    expect(await ada.save('auto', 'x', headers(device, label))).toMatchObject({ device, label })
    const response = await ada.fetch('auto')
    expect(decodeURIComponent(response.headers.get('Save-Device') ?? '')).toBe(device)
    expect(decodeURIComponent(response.headers.get('Save-Label') ?? '')).toBe(label)
    for (const [wrong, path] of [
      [headers(`${device}x`, ''), '/save-device'],
      [headers('', `${label}x`), '/save-label'],
      [{ 'Save-Label': '%' }, '/save-label'],
      [{ 'Save-Label': '%FF' }, '/save-label'],
      [{ 'Save-Device': '%ED%A0%80' }, '/save-device'],
      [{ 'Save-Device': 'b\u00fcro' }, '/save-device'],
      [{ 'Save-Label': 'a%00b' }, '/save-label'],
      [{ 'Save-Label': 'a%0Ab' }, '/save-label'],
      [{ 'Save-Label': '%E2%80%AEexe.txt' }, '/save-label'],
      [{ 'Save-Label': '%E2%80%8B%20' }, '/save-label'],
      [{ 'Save-Device': '%C2%85phone' }, '/save-device'],
      [{ 'Save-Device': '%20' }, '/save-device'],
      [{ 'Save-Played-Seconds': '1.5' }, '/save-played-seconds'],
      [{ 'Save-Played-Seconds': '-1' }, '/save-played-seconds'],
      [{ 'Content-Type': 'nothing' }, '/content-type'],
    ] as const)
      expect(await ada.write('auto', 'y', wrong), JSON.stringify(wrong)).toBeProblem(
        400,
        'VALIDATION_FAILED',
        path,
      )
    expect(await ada.save('auto', 'x', { 'Save-Label': '' })).toMatchObject({ device: null, label: null })
  })
})

describe('GET /v1/saves/{slot}', () => {
  it('answers with the bytes, as what a browser neither shows nor runs, and with no cache', async () => {
    const ada = await newPlayer()
    await ada.save('auto', '<script>', {
      'Content-Type': 'text/html; charset=utf-8',
      'Save-Played-Seconds': '0',
    })
    const { status, headers } = await ada.fetch('auto')
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store, no-transform',
      etag: '"1"',
      'save-played-seconds': '0',
    })
    for (const absent of ['Save-Device', 'Save-Label']) expect(headers.has(absent)).toBe(false)
  })

  it('answers 304 to who has the revision, and to HEAD without the bytes', async () => {
    const ada = await newPlayer()
    await ada.save('auto', 'one')
    await ada.save('auto', 'two')
    for (const known of ['"2"', 'W/"2"', '"9", "2"', '*']) {
      const response = await ada.fetch('auto', { 'If-None-Match': known })
      expect([response.status, response.headers.get('ETag'), await response.text()]).toEqual([304, '"2"', ''])
    }
    expect((await ada.fetch('auto', { 'If-None-Match': '"1"' })).status).toBe(200)
    expect((await ada.fetch('auto?revision=1', { 'If-None-Match': '"2"' })).status).toBe(200)
    expect((await ada.fetch('auto?revision=1', { 'If-None-Match': '"1"' })).status).toBe(304)
    const head = await ada.fetch('auto', {}, 'HEAD')
    expect([head.status, head.headers.get('ETag'), await head.text()]).toEqual([200, '"2"', ''])
    expect(head.headers.get('Content-Length')).toBe('3')
    expect((await ada.fetch('never', { 'If-None-Match': '*' })).status).toBe(404)
    expect(await ada.user.get('/saves/auto?revision=0')).toBeProblem(400, 'VALIDATION_FAILED', '/revision')
  })
})

describe('GET /v1/saves', () => {
  it('lists the slots with the latest write first, also those of one second', async () => {
    const ada = await newPlayer()
    for (const slot of ['one', 'two', 'three', 'one']) await ada.save(slot, slot)
    expect((await ada.list()).saves.map(({ slot }) => slot)).toEqual(['one', 'three', 'two'])
    await ada.delete('three')
    await ada.delete('one')
    expect((await ada.list('?deleted=true')).saves.map(({ slot }) => slot)).toEqual(['one', 'three'])
  })

  it('shows nobody the saves of somebody else', async () => {
    const [ada, bob] = [await newPlayer(), await newPlayer()]
    await ada.save('auto', 'of ada')
    expect(await bob.list()).toMatchObject({ saves: [], used_bytes: 0 })
    expect(await bob.user.get('/saves/auto')).toBeProblem(404, 'SAVE_NOT_FOUND')
    await bob.save('auto', 'of bob')
    expect(await ada.content('auto')).toBe('of ada')
  })
})
