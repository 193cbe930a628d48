import { describe, expect, inject, it } from 'vitest'
import { made } from '../support/answer.ts'
import { records, Upload } from '../support/records.ts'
import { put, signUp, type User } from '../support/user.ts'

const { isDevelopment, allowed_origin, multipart_bytes } = inject('acceptance')

const content = () => crypto.getRandomValues(new Uint8Array(4_000))

/** Another object of the bucket, in both spellings of a copy's source: R2 answers InvalidArgument to the first, and may copy the second. */
async function sourcesOf(user: User): Promise<string[]> {
  const { url } = made(
    records.DownloadUrl,
    await user.get(`/files/${(await user.file('other', content())).id}/url`),
    200,
  )
  const [key = '', bucket = ''] = new URL(url).pathname.split('/').reverse()
  return [`/${bucket}/${key}`, `${bucket}/${key}`]
}

describe('the signed PUT of an upload', () => {
  it('is never a copy of another object, before and after its own content', async () => {
    const ada = await signUp('ada')
    const sources = await sourcesOf(ada)
    const own = content()
    const upload = await ada.upload({ size_bytes: own.length })
    const copy = async () => {
      for (const source of sources)
        expect((await put(upload, own, { 'x-amz-copy-source': source })).status).toBeGreaterThanOrEqual(400)
    }
    await copy()
    expect((await put(upload, own)).status).toBe(200)
    await copy()
    expect((await ada.complete(upload)).status).toBe(200)
    await copy()
  })

  const customer = 'x-amz-server-side-encryption-customer'
  const foreign = [
    ['a storage class', { 'x-amz-storage-class': 'STANDARD_IA' }],
    [
      'a key of the client’s own (SSE-C)',
      {
        [`${customer}-algorithm`]: 'AES256',
        [`${customer}-key`]: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
        [`${customer}-key-md5`]: 'XHILmOThjrYaOE8r11ssSg==',
      },
    ],
  ] as const

  it.skipIf(isDevelopment).each(foreign)(
    'with %s that was not signed is refused, or its completion',
    async (_, headers) => {
      const ada = await signUp('ada')
      const own = content()
      const upload = await ada.upload({ size_bytes: own.length })
      const { status } = await put(upload, own, headers)
      if (status < 400) expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    },
  )

  it.skipIf(isDevelopment)('is refused with other bytes than those whose SHA-256 was declared', async () => {
    const ada = await signUp('ada')
    const other = 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=' // of the text "test"
    const upload = await ada.upload({ size_bytes: 4_000, checksum_sha256: other })
    expect((await put(upload, content())).status).toBeGreaterThanOrEqual(400)
  })

  it.runIf(allowed_origin && !isDevelopment)(
    'may come from a page on an allowed origin, and from no other',
    async () => {
      const ada = await signUp('ada')
      const own = content()
      const { url, headers = {}, ...upload } = await ada.upload({ size_bytes: own.length })
      const names = Object.keys(headers).filter((name) => name.toLowerCase() !== 'content-length')
      const grantTo = async (Origin: string) => {
        const asked = names.map((name) => name.toLowerCase()).join(',')
        const preflight = {
          Origin,
          'Access-Control-Request-Method': 'PUT',
          'Access-Control-Request-Headers': asked,
        }
        return (await fetch(url ?? '', { method: 'OPTIONS', headers: preflight })).headers.get(
          'Access-Control-Allow-Origin',
        )
      }
      expect([allowed_origin, '*']).toContain(await grantTo(allowed_origin))
      expect(await grantTo('https://elsewhere.example')).toBeNull()
      const sent = await put({ url, headers, ...upload }, own, { Origin: allowed_origin })
      expect(sent.headers.get('Access-Control-Expose-Headers')).toMatch(/etag/i)
    },
  )
})

it.skipIf(isDevelopment)('a download has the name that the file has been given since', async () => {
  const ada = await signUp('ada')
  const file = await ada.file('before.bin', content())
  const name = `${crypto.randomUUID()}.bin`
  expect((await ada.change(file, { name })).status).toBe(200)
  expect((await ada.download(file)).headers.get('Content-Disposition')).toContain(name)
})

describe.runIf(multipart_bytes > 0)('an upload in parts', { timeout: 600_000 }, () => {
  /** An upload in parts, with the content of one part. */
  async function begun() {
    const ada = await signUp('ada')
    const upload = await ada.upload({ name: 'parts.bin', size_bytes: multipart_bytes })
    const { part_size = 0, part_count = 0 } = upload.multipart ?? {}
    const contentOf = (number: number) =>
      new Uint8Array(number < part_count ? part_size : multipart_bytes - part_size * (part_count - 1)).fill(
        number,
      )
    const send = async (number: number, own = contentOf(number), different: Record<string, string> = {}) => {
      const [part] = made(records.PartUrls, await ada.parts(upload, { part_numbers: [number] }), 200).parts
      const { 'Content-Length': _, ...signed } = part?.headers ?? {}
      return fetch(part?.url ?? '', { method: 'PUT', body: own, headers: { ...signed, ...different } })
    }
    return { ada, upload, part_count, send }
  }

  /** Sends all parts, and tells the service their ETags. */
  async function sendAll({ ada, upload, part_count, send }: Awaited<ReturnType<typeof begun>>) {
    for (let part_number = 1; part_number <= part_count; part_number++) {
      const { status, headers } = await send(part_number)
      expect(status).toBe(200)
      const uploaded = [{ part_number, etag: headers.get('ETag') ?? '' }]
      expect((await ada.parts(upload, { uploaded })).status).toBe(200)
    }
  }

  it('takes a part twice, of its length, and never as a copy of another object', async () => {
    const { ada, upload, part_count, send } = await begun()
    const last = multipart_bytes % (upload.multipart?.part_size ?? 1)
    expect((await send(part_count, new Uint8Array(last + 1))).status).toBe(403)
    for (const source of await sourcesOf(ada))
      expect(
        (await send(part_count, undefined, { 'x-amz-copy-source': source })).status,
      ).toBeGreaterThanOrEqual(400)
    expect([(await send(part_count)).status, (await send(part_count)).status]).toEqual([200, 200])
  })

  it('is not complete with the wrong ETag of a part', async () => {
    const parts = await begun()
    await sendAll(parts)
    const uploaded = [{ part_number: parts.part_count, etag: `"${'0'.repeat(32)}"` }]
    expect((await parts.ada.parts(parts.upload, { uploaded })).status).toBe(200)
    expect(await parts.ada.complete(parts.upload)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
  })

  it('is completed by two devices at once, and again later', async () => {
    const parts = await begun()
    await sendAll(parts)
    const complete = () => parts.ada.complete(parts.upload)
    const answers = [...(await Promise.all([complete(), complete()])), await complete()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(made(Upload, await parts.ada.get(`/uploads/${parts.upload.id}`), 200).state).toBe('completed')
  })
})
