import { AwsClient } from 'aws4fetch'
import { expect, it } from 'vitest'
import { contentDisposition } from '../../src/platform/storage/content-disposition.ts'
import { createSigner, type SignedUrl } from '../../src/platform/storage/presign.ts'

const access = {
  S3_ENDPOINT: 'https://account.r2.example',
  S3_BUCKET: 'bucket',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
}
const midnight = Date.UTC(2026, 10, 24) / 1_000

/** The signature of another implementation for the same request. */
async function signatureOf(method: string, { url }: SignedUrl, headers: Record<string, string> = {}) {
  const unsigned = new URL(url)
  const datetime = unsigned.searchParams.get('X-Amz-Date') ?? ''
  const own = ['X-Amz-Signature', 'X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Date', 'X-Amz-SignedHeaders']
  for (const name of own) unsigned.searchParams.delete(name)
  const client = new AwsClient({
    accessKeyId: access.S3_ACCESS_KEY_ID,
    secretAccessKey: access.S3_SECRET_ACCESS_KEY,
    service: 's3',
    region: 'auto',
  })
  const aws = { signQuery: true, allHeaders: true, datetime }
  return signedBy((await client.sign(unsigned, { method, headers, aws })).url)
}

const signedBy = (url: string) => new URL(url).searchParams.get('X-Amz-Signature')

const names = [
  'level.bin',
  "it's (1)!*.png",
  'a  b + c & d = e?.txt',
  '100 %.gif',
  'Größe 日本.webp',
  '\u{1f3f0}~-_',
]

it.each(names)('signs as another implementation does: %s', async (name) => {
  const signer = createSigner(access)
  for (const now of [midnight - 1, midnight, midnight + 1]) {
    const disposition = contentDisposition(name, 'image/png')
    const download = await signer.download(crypto.randomUUID(), disposition, now, 900)
    expect(signedBy(download.url)).toBe(await signatureOf('GET', download))
    const headers = {
      'Content-Type': 'image/png; name="a  b"',
      'Content-Disposition': disposition,
      'Content-Length': '3',
      'If-None-Match': '*',
      'x-amz-meta-upload': 'x',
    }
    const upload = await signer.upload('pictures/one', headers, now, 60)
    expect(signedBy(upload.url)).toBe(await signatureOf('PUT', upload, headers))
    const part = await signer.part('one', `${name}+/=`, 7, { 'Content-Length': '5' }, now, 60)
    expect(signedBy(part.url)).toBe(await signatureOf('PUT', part, { 'Content-Length': '5' }))
  }
})

it('signs with an endpoint that has a path and a port', async () => {
  for (const S3_ENDPOINT of ['http://localhost:9000/s3/', 'https://account.r2.example/']) {
    const url = await createSigner({ ...access, S3_ENDPOINT }).download('key', 'inline', midnight, 60)
    expect(signedBy(url.url)).toBe(await signatureOf('GET', url))
  }
})
