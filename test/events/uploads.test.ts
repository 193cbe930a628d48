import { beforeEach, describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { configWithEvents, EventLog, serviceWithEvents } from '../support/events.ts'
import { runJobIn } from '../support/objects.ts'
import { Upload } from '../support/records.ts'
import { put } from '../support/user.ts'

const { service, sent } = serviceWithEvents()
const config = configWithEvents()

let ada: Creator
let log: EventLog

beforeEach(async () => {
  ada = await signUpCreator('ada', service)
  log = new EventLog(ada)
})

const failed = (upload: Upload, reason: string) => [
  'upload.failed',
  {
    upload_id: upload.id,
    owner_id: ada.id,
    upload_type: upload.upload_type,
    size_bytes: upload.size_bytes,
    file_id: upload.file?.id ?? null,
    asset_id: null,
    reason,
  },
]

describe('upload.completed', () => {
  it('is written for content that came in one request, and for what replaces it; never for a refused one', async () => {
    const file = await ada.content('a', 'abc')
    const event = (size_bytes: number) => [
      'upload.completed',
      {
        upload_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        owner_id: ada.id,
        upload_type: 'file',
        size_bytes,
        file_id: file.id,
        asset_id: null,
        mime_type: 'text/plain',
        version: null,
      },
    ]
    expect(await log.next()).toEqual([event(3)])
    expect((await ada.replaceContent(file, 'abcd')).status).toBe(200)
    expect(await log.next()).toEqual([event(4)])
    expect(await ada.replaceContent(file, 'abcde', { 'If-Match': '"1"' })).toBeProblem(
      412,
      'PRECONDITION_FAILED',
    )
    expect((await ada.createContent('x', { name: 'a', parent_id: 'nobody' })).status).toBe(404)
    expect(await log.next()).toEqual([])
  })

  it('is written once, however often and at once the upload is completed', async () => {
    const upload = await ada.upload({ size_bytes: 3 })
    expect(await ada.complete(upload)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    expect(await log.next()).toEqual([])
    await put(upload, bytes('abc'))
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada.complete(upload)))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect((await ada.complete(upload)).status).toBe(200)
    expect(await log.next()).toEqual([
      [
        'upload.completed',
        {
          upload_id: upload.id,
          owner_id: ada.id,
          upload_type: 'file',
          size_bytes: 3,
          file_id: upload.file?.id,
          asset_id: null,
          mime_type: 'application/octet-stream',
          version: null,
        },
      ],
    ])
    expect(await ada.abort(upload)).toBeProblem(409, 'UPLOAD_COMPLETED')
    await runJobIn(2, config)
    expect(await log.next()).toEqual([])
  })

  it('names the version that it made', async () => {
    const asset = await ada.asset('castle')
    await ada.version(asset, 'two')
    const completed = (await log.next()).filter(([type]) => type === 'upload.completed')
    const data = { asset_id: asset.id, file_id: null }
    expect(completed).toMatchObject([
      ['upload.completed', { ...data, version: 1 }],
      ['upload.completed', { ...data, version: 2 }],
    ])
  })
})

describe('upload.failed', () => {
  it('is written once for what is not as declared', async () => {
    const upload = await ada.upload({ size_bytes: 3, asset_type: 'emote', mime_type: 'image/png' })
    await put(upload, bytes('abc'))
    sent.length = 0
    for (let times = 0; times < 2; times++)
      expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect(await log.next()).toEqual([failed(upload, 'mismatch')])
    expect(sent).toHaveLength(1)
    expect((await ada.abort(upload)).status).toBe(204)
    await runJobIn(3, config)
    expect(await log.next()).toEqual([])
  })

  it('is written once for what is aborted', async () => {
    const upload = await ada.upload({ size_bytes: 3 })
    const bob = await signUpCreator('bob', service)
    expect(await bob.abort(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    const answers = await Promise.all(Array.from({ length: 4 }, () => ada.abort(upload)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(await log.next()).toEqual([failed(upload, 'aborted')])
  })

  it('is written by the job, once for each upload that nobody completed', async () => {
    const uploads = [await ada.upload({ size_bytes: 3 }), await ada.upload({ size_bytes: 4 })]
    const asset = made(Upload, await ada.startContent({ name: 'castle', asset_type: 'world' }), 201)
    await runJobIn(0, config)
    expect(await log.next()).toEqual([])
    await runJobIn(1.1, config)
    await runJobIn(2.2, config)
    const expected = [...uploads, asset].map((upload) => failed(upload, 'expired'))
    const events = await log.next()
    expect(events).toHaveLength(3)
    expect(events).toEqual(expect.arrayContaining(expected))
  })

  it('is written when the file that it was for is deleted permanently', async () => {
    const upload = await ada.upload({ size_bytes: 3 })
    const file = upload.file?.id ?? ''
    await ada.delete(file)
    expect(await log.next()).toEqual([])
    expect((await ada.purge(file)).status).toBe(204)
    const purged = { file_id: file, owner_id: ada.id, asset_type: 'file', size_bytes: 3 }
    expect(await log.next()).toEqual([['file.purged', purged], failed(upload, 'target_gone')])
    await runJobIn(2, config)
    expect(await log.next()).toEqual([])
  })

  it('is written when the asset that it was for is gone', async () => {
    const { id } = await ada.asset('castle')
    const upload = await ada.sent({ asset_id: id })
    await ada.deleteAsset(id, '?permanent=true')
    await log.next()
    for (let times = 0; times < 2; times++)
      expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await log.next()).toMatchObject([
      ['upload.failed', { upload_id: upload.id, asset_id: id, reason: 'target_gone' }],
    ])
  })
})
