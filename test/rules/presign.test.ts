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

const signedBy = ({ url }: SignedUrl) => new URL(url).searchParams.get('X-Amz-Signature')

async function signaturesOf(name: string, now: number) {
  const signer = createSigner(access)
  const disposition = contentDisposition(name, 'image/png')
  const headers = {
    'Content-Type': 'image/png; name="a  b"',
    'Content-Disposition': disposition,
    'Content-Length': '3',
    'If-None-Match': '*',
    'x-amz-meta-upload': 'x',
  }
  const urls = [
    await signer.download('one', disposition, now, 900),
    await signer.upload('pictures/one', headers, now, 60),
    await signer.part('one', `${name}+/=`, 7, { 'Content-Length': '5' }, now, 60),
  ]
  for (const { url } of urls) expect(url).not.toContain('+')
  return urls.map(signedBy)
}

/** Names, and the signatures of two implementations for a download, an upload and a part. */
const known = [
  [
    'level.bin',
    '24a4b4ff2f1f12cd4af7ab8fc8e66dec03caa48cacc73c983c1465d588b092ec',
    '45c0477e5a8ca374bed81a0b7f7ced74d67895692a869dc928ff751a4978faff',
    'c12543c27d19589d6efb35e03bbdee8569d6b9471eff76c2da1c16bc977e6c41',
  ],
  [
    "it's (1)!*.png",
    'ba656fa3a85952de498a35cfbeee7da8401ca4f9b697597bc6f518a4e55ab1fc',
    '6db46350c01d3b5142f92730bcbb4e46de0463a1d9de1d9e4adc4567d90e730e',
    '8572fe94df8dea1b7a673c9f4c523d6daba94c16aadcdaca9ace1a1b980c6c34',
  ],
  [
    'a  b + c & d = e?.txt',
    '285f30bdb80eefdbdf2d3a95cb73f7e6f3b65399aece982004f553fd6f67260f',
    'd724ced8e6537ad2052020557bfa0a0d0e0c3cb94f230bf461577a30ed61eaff',
    '2a90e3f2d65b0a02b1fedde163b23d16d3e93221abe6906475e64f058a22dad0',
  ],
  [
    '100 %.gif',
    '4101373673c3360b1d4b70cb9a955ff07688e0216f622e080aaf8ed39cc3c511',
    'a81d53f1cea6415a1ba425dd7a7107d2fe6546392479cd69ac44f3fd88fb2b5e',
    '3f8d360b89e6d6ac8de70e0553e62de6725e8e181658981c73cbeba3ed22a965',
  ],
  [
    'Größe 日本.webp',
    '5cc64cf43ade5b7d1d06e976061deed1e486403649263e8679d5fa6b7a45d7fa',
    'c3cb848060e3797c6b3532ddfb1a813cc9a7f0b990c8736821bf582f7e59f879',
    '30ef65737abb2499f538b86426e9cebe8af461b60cf74ad08523cb2c0d91062a',
  ],
  [
    '\u{1f3f0}~-_',
    'c47b444b812534e8cd571c802cb90cf216ff0e82a8ae7259ada9ad9b73bf5427',
    '20111d1c558c6c30635a99bc6ed7ca43ffc2403ea53570077180eb54701df534',
    'e707335909d9adcf22db7ed50472487c8d5ecac6f0687a00add8bcb437e85326',
  ],
] as const

it.each(known)('signs as other implementations do: %s', async (name, ...signatures) => {
  expect(await signaturesOf(name, midnight)).toEqual(signatures)
})

it('signs with the key of the day, before midnight and after it', async () => {
  const [name, ...signatures] = known[0]
  const before = await signaturesOf(name, midnight - 1)
  expect(before).toEqual([
    '4d693beae2bca6d6396a7f3a3cc84d413800a84e50019ddd053a8a4e81d9d2c9',
    '262d55aea68af7d8b27f9e094c12b9582145e5821290beb46f31053649b7c268',
    'd8cafd8c782b4b26ddbc674ee448f3f4dc072b8dc05202e2993c33cf449faf55',
  ])
  expect(await signaturesOf(name, midnight)).toEqual(signatures)
  expect(await signaturesOf(name, midnight - 1)).toEqual(before)
})

it.each([
  ['http://localhost:9000/s3/', '781c9dcfd19f35133a0b21414895c1633433bd77686dfe3e0e3fabb26730d8c4'],
  ['https://account.r2.example/', '9bbda4109b1572804633a83708efe1d8b6e592d46ca2eafd59a6992c8c9c7e95'],
])('signs with an endpoint that has a path and a port: %s', async (S3_ENDPOINT, signature) => {
  const url = await createSigner({ ...access, S3_ENDPOINT }).download('key', 'inline', midnight, 60)
  expect(signedBy(url)).toBe(signature)
})
