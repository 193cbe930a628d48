import { describe, expect, it } from 'vitest'
import { newPlayer } from '../support/saves.ts'

const time = expect.any(Number)

describe('saves', () => {
  it('are written, listed, read and restored', async () => {
    const ada = await newPlayer()
    const answer = await ada.write('auto', 'one', {
      'Content-Type': 'Application/JSON; charset=utf-8',
      'Save-Device': 'Ada%E2%80%99s%20phone',
      'Save-Label': 'M%C3%BChle',
      'Save-Played-Seconds': '61',
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('ETag')).toBe('"1"')
    const first = {
      slot: 'auto',
      revision: 1,
      size_bytes: 3,
      mime_type: 'application/json',
      checksum_sha256: 'dpLDrQVAutz4AdY/qHG3RDiTanl1k6eyhEyBUZu/OTU=',
      device: 'Ada’s phone',
      label: 'Mühle',
      played_seconds: 61,
      created_at: time,
      updated_at: time,
    }
    expect(answer.body).toMatchObject({ ...first, checksum_sha256: expect.any(String) })

    const second = await ada.write('auto', 'two', { 'If-Match': '"1"' })
    expect(second.status).toBe(200)
    expect(second.body).toMatchObject({ revision: 2, device: null, mime_type: 'application/octet-stream' })

    const conflict = await ada.write('auto', 'three', { 'If-Match': '"1"' }, '?keep=true')
    expect(conflict).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(conflict.body).toMatchObject({ current: second.body, kept_revision: 3 })

    expect(await ada.content('auto')).toBe('two')
    const old = await ada.fetch('auto?revision=1')
    expect(old.headers.get('Save-Label')).toBe('M%C3%BChle')
    expect(await old.text()).toBe('one') // its type is JSON
    expect((await ada.fetch('auto', { 'If-None-Match': '"2"' })).status).toBe(304)
    expect((await ada.revisions('auto')).map(({ revision, is_current }) => [revision, is_current])).toEqual([
      [3, false],
      [2, true],
      [1, false],
    ])

    const restored = await ada.restore('auto', { revision: 3 })
    expect(restored.body).toMatchObject({ revision: 4 })
    expect(await ada.content('auto')).toBe('three')
    expect(await ada.list()).toEqual({ saves: [restored.body], used_bytes: 16, limit_bytes: 8_388_608 })

    expect((await ada.delete('auto')).status).toBe(204)
    expect(await ada.user.get('/saves/auto')).toBeProblem(404, 'SAVE_NOT_FOUND')
    expect((await ada.list()).saves).toEqual([])
    expect((await ada.list('?deleted=true')).saves).toMatchObject([{ revision: 4, deleted_at: time }])
    expect((await ada.restore('auto')).body).toMatchObject({ revision: 5 })
    expect(await ada.content('auto')).toBe('three')
  })
})
