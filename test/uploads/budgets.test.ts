import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, made } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { type Cost, meter } from '../support/meter.ts'
import { png } from '../support/pictures.ts'
import { records, Upload } from '../support/records.ts'
import { openAccount, roomy, seedUploads } from '../support/seed.ts'
import { put } from '../support/user.ts'

/** What is longer comes in parts. */
const THRESHOLD = 1_000
const { service, of } = meter({ ...roomy, MULTIPART_THRESHOLD: String(THRESHOLD) })

const short = bytes('content')
const long = new Uint8Array(2 * THRESHOLD)
const checksum_sha256 = '7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=' // of "content"

/** What uploads are started for; the folder is four levels down, and the file is in it. */
interface Targets {
  folder: string
  file: string
  asset: string
}

interface Kind {
  content: Uint8Array
  /** Items on the path of what is filled, itself included. */
  d: number
  declared: (targets: Targets) => Record<string, unknown>
}

const newFile =
  (members: Record<string, unknown> = {}) =>
  ({ folder }: Targets) => ({ name: 'new', parent_id: folder, ...ofFile, ...members })
const newContent = ({ file }: Targets) => ({ file_id: file, ...ofFile })
const newAsset = () => ({ name: `asset ${crypto.randomUUID()}`, asset_type: 'world', ...ofAsset })
const newVersion = ({ asset }: Targets) => ({ asset_id: asset, ...ofAsset })
const ofFile = { upload_type: 'file', mime_type: 'text/plain' }
const ofAsset = { upload_type: 'game_asset', mime_type: 'text/plain' }

const kinds: Record<string, Kind> = {
  'a file': { content: short, d: 5, declared: newFile() },
  'a file with a checksum': { content: short, d: 5, declared: newFile({ checksum_sha256 }) },
  'a picture': {
    content: png,
    d: 5,
    declared: newFile({ asset_type: 'profile_pic', mime_type: 'image/png' }),
  },
  'a file in parts': { content: long, d: 5, declared: newFile() },
  replacement: { content: short, d: 5, declared: newContent },
  'new content in parts': { content: long, d: 5, declared: newContent },
  'a new asset': { content: short, d: 0, declared: newAsset },
  'a new asset in parts': { content: long, d: 0, declared: newAsset },
  'a version': { content: short, d: 0, declared: newVersion },
  'a version in parts': { content: long, d: 0, declared: newVersion },
}

let ada: Creator
let targets: Targets

beforeAll(async () => {
  ada = await signUpCreator('ada', service)
  await openAccount(ada.id)
  let folder: string | undefined
  for (const name of ['1', '2', '3', '4']) folder = (await ada.folder(name, { in: folder })).id
  const [first, published] = [await ada.file('file', 'first', { parent_id: folder }), await ada.asset()]
  targets = { folder: folder ?? '', file: first.id, asset: published.id }
})

/** What a request costs and answers. */
async function costOf(send: () => Promise<Answer>): Promise<{ cost: Cost; answer: Answer }> {
  const answers: Answer[] = []
  const cost = await of(async () => answers.push(await send()))
  const [answer] = answers
  if (!answer) throw new Error('there is no answer')
  expect(answer.status, answer.text).toBeLessThan(300)
  return { cost, answer }
}

/** Sends an upload's content, in its only part if it has parts. Tells what asking for the part's URL, and recording it, cost. */
async function sendContent(upload: Upload, content: Uint8Array): Promise<Record<string, Cost>> {
  if (!upload.multipart) {
    expect((await put(upload, content)).status).toBe(200)
    return {}
  }
  const asked = await costOf(() => ada.parts(upload, { part_numbers: [1] }))
  const [part] = made(records.PartUrls, asked.answer, 200).parts
  const sent = await env.S3.fetch(part?.url ?? '', { method: 'PUT', body: content, headers: part?.headers })
  expect(sent.status).toBe(200)
  const checksum_sha256 = `${'A'.repeat(43)}=`
  const uploaded = [{ part_number: 1, etag: sent.headers.get('ETag') ?? '', checksum_sha256 }]
  const recorded = await costOf(() => ada.parts(upload, { uploaded }))
  return { 'ask for parts': asked.cost, 'record parts': recorded.cost }
}

/** What each request of an upload costs, from its start to its completion, and those of one that is aborted. */
async function costsOf({ content, declared }: Kind): Promise<Record<string, Cost>> {
  const body = () => ({ ...declared(targets), size_bytes: content.length })
  const begun = await costOf(() => ada.startUpload(body()))
  const upload = made(Upload, begun.answer, 201)
  const read = await costOf(() => ada.get(`/uploads/${upload.id}`))
  const parts = await sendContent(upload, content)
  const completed = await costOf(() => ada.complete(upload))
  const again = await costOf(() => ada.complete(upload))
  const withKey = await costOf(() => ada.startUpload(body(), { 'Idempotency-Key': upload.id }))
  const aborted = await costOf(() => ada.abort(made(Upload, withKey.answer, 201)))
  return {
    start: begun.cost,
    'start with a key': withKey.cost,
    get: read.cost,
    ...parts,
    complete: completed.cost,
    'complete again': again.cost,
    abort: aborted.cost,
  }
}

function expectWithin(costs: Record<string, Cost>, { d, content }: Kind): void {
  const inParts = content.length > THRESHOLD ? 1 : 0
  const budgets: Record<string, Cost> = {
    start: { trips: 1, r2_calls: inParts, rows_read: 4 * d + 30, rows_written: 12 },
    'start with a key': { trips: 1, r2_calls: inParts, rows_read: 4 * d + 30, rows_written: 14 },
    get: { trips: 1, r2_calls: 0, rows_read: 4 * d + 10, rows_written: 0 },
    'ask for parts': { trips: 1, r2_calls: 0, rows_read: 4 * d + 10, rows_written: 0 },
    'record parts': { trips: 1, r2_calls: 0, rows_read: 4 * d + 10, rows_written: 1 },
    complete: { trips: 2, r2_calls: 2, rows_read: 4 * d + 60, rows_written: 20 },
    'complete again': { trips: 1, r2_calls: 0, rows_read: 4 * d + 60, rows_written: 0 },
    abort: { trips: 1, r2_calls: 1 + inParts, rows_read: 4 * d + 30, rows_written: 12 },
  }
  for (const [request, cost] of Object.entries(costs)) {
    const budget = budgets[request]
    expect(cost.trips, request).toBe(budget?.trips)
    for (const count of ['r2_calls', 'rows_read', 'rows_written'] as const)
      expect(cost[count], `${request}, ${count}`).toBeLessThanOrEqual(budget?.[count] ?? 0)
  }
}

describe.each(Object.entries(kinds))('an upload of %s', (title, kind) => {
  it('costs one trip to start and two to complete, and what its path costs', async () => {
    const costs = await costsOf(kind)
    console.log(`${title}: ${JSON.stringify(costs)}`)
    expectWithin(costs, kind)
  })
})

describe('an upload of new content', () => {
  it('costs the same when the file has been replaced once and a hundred times', async () => {
    const { id } = await ada.file('replaced', 'content', { parent_id: targets.folder })
    const kind = { content: short, d: 5, declared: () => newContent({ ...targets, file: id }) }
    const replace = async (times: number) => {
      for (let i = 0; i < times; i++) {
        const answer = await ada.startUpload({ ...kind.declared(), size_bytes: short.length })
        const upload = made(Upload, answer, 201)
        await sendContent(upload, short)
        expect((await ada.complete(upload)).status).toBe(200)
      }
    }
    await replace(1)
    const once = await costsOf(kind)
    await replace(98)
    expect(await costsOf(kind)).toEqual(once)
  })
})

describe('beside 100,000 other uploads', () => {
  it('every request costs the same', async () => {
    const costs = async () => {
      const all: Record<string, Record<string, Cost>> = {}
      for (const [title, kind] of Object.entries(kinds)) all[title] = await costsOf(kind)
      return all
    }
    const alone = await costs()
    await seedUploads(ada.id, 100_000)
    expect(await costs()).toEqual(alone)
  })
})
