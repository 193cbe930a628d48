import { env } from 'cloudflare:test'
import { importPKCS8, SignJWT } from 'jose'
import { describe, expect, inject, it } from 'vitest'
import { send } from '../support/answer.ts'
import { configurationOf } from '../support/context.ts'
import { tokenFor } from '../support/identities.ts'
import { serviceWith } from '../support/service.ts'
import { signUp, User } from '../support/user.ts'

async function askedWith(variables: Record<string, string | undefined>, path = '/v1/files') {
  const headers = { Authorization: `Bearer ${await tokenFor('ada')}` }
  return send('GET', path, { headers }, serviceWith(variables))
}

const webhook = {
  WEBHOOK_URL: 'https://hook.example/events',
  WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(32))}`,
}

/** Variables as a deployment has them. */
const deployed = (different: Record<string, string | undefined> = {}) => ({
  DEVELOPMENT: undefined,
  S3_ENDPOINT: 'https://account.r2.example',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
  ...different,
})

describe('a service that is not configured', () => {
  const jwks = {
    JWT_SECRET: undefined,
    JWKS_URL: 'https://login.example/jwks',
    JWT_ISSUER: 'a',
    JWT_AUDIENCE: 'b',
  }
  const faults: [what: string, variables: Record<string, string | undefined>, named: string][] = [
    ['without any key', { JWT_SECRET: undefined }, 'JWT_SECRET'],
    ['with an empty secret', { JWT_SECRET: '' }, 'JWT_SECRET'],
    ['with a secret of 31 bytes', { JWT_SECRET: 'x'.repeat(31) }, 'JWT_SECRET must be at least 32 bytes'],
    [
      'with both a secret and a key set',
      { JWKS_URL: jwks.JWKS_URL, JWT_ISSUER: 'a', JWT_AUDIENCE: 'b' },
      'JWKS_URL',
    ],
    ['with a key set that is no address', { ...jwks, JWKS_URL: 'login.example' }, 'JWKS_URL'],
    [
      'with a key set that anyone could change on its way',
      { ...jwks, JWKS_URL: 'http://login.example/jwks' },
      'JWKS_URL',
    ],
    [
      'with a key set that only looks like this machine',
      { ...jwks, JWKS_URL: 'http://localhost:80@evil.example/jwks' },
      'JWKS_URL',
    ],
    ['with a bucket at an open address', { S3_ENDPOINT: 'http://account.r2.example' }, 'S3_ENDPOINT'],
    ['with a key set but no issuer', { ...jwks, JWT_ISSUER: undefined }, 'JWT_ISSUER'],
    ['with a key set but no audience', { ...jwks, JWT_AUDIENCE: undefined }, 'JWT_AUDIENCE'],
    ['with an algorithm that is not taken', { ...jwks, JWT_ALGORITHMS: 'ES256,none' }, 'JWT_ALGORITHMS'],
    ['with HS256 for a key set', { ...jwks, JWT_ALGORITHMS: 'HS256' }, 'JWT_ALGORITHMS'],
    ['without the address of the bucket', { S3_ENDPOINT: undefined }, 'S3_ENDPOINT is missing'],
    ['with an address that is none', { S3_ENDPOINT: 'account' }, 'S3_ENDPOINT'],
    ['without the key of the bucket', { S3_ACCESS_KEY_ID: undefined }, 'S3_ACCESS_KEY_ID is missing'],
    ['without the secret of the bucket', { S3_SECRET_ACCESS_KEY: '' }, 'S3_SECRET_ACCESS_KEY is missing'],
    [
      'with a lifetime that is no number',
      { DOWNLOAD_URL_TTL: '15m' },
      'DOWNLOAD_URL_TTL must be a whole number',
    ],
    ['with a lifetime that S3 does not know', { DOWNLOAD_URL_TTL: '604801' }, 'DOWNLOAD_URL_TTL'],
    ['with a lifetime of nothing', { UPLOAD_URL_TTL: '0' }, 'UPLOAD_URL_TTL'],
    ['with a word that is not for marking development', { DEVELOPMENT: 'yes' }, 'DEVELOPMENT must be'],
    ['with the bucket of development', deployed({ S3_ENDPOINT: 'local' }), 'S3_ENDPOINT'],
    ['with a bucket on this machine', deployed({ S3_ENDPOINT: 'http://localhost:9000' }), 'S3_ENDPOINT'],
    ['with a secret of development', deployed({ JWT_SECRET: `development-${'x'.repeat(40)}` }), 'JWT_SECRET'],
    ['with a login on this machine', deployed({ ...jwks, JWKS_URL: 'http://localhost/jwks' }), 'JWKS_URL'],
    ['with the key of development', deployed({ S3_ACCESS_KEY_ID: 'local-access-key' }), 'S3_ACCESS_KEY_ID'],
    [
      'with the bucket’s secret of development',
      deployed({ S3_SECRET_ACCESS_KEY: 'local-secret-key' }),
      'S3_SECRET_ACCESS_KEY',
    ],
    ['with a webhook but no secret', { ...webhook, WEBHOOK_SECRET: undefined }, 'WEBHOOK_SECRET is missing'],
    ['with a webhook anyone could read', { ...webhook, WEBHOOK_URL: 'http://hook.example/' }, 'WEBHOOK_URL'],
    [
      'with a webhook that names a user',
      { ...webhook, WEBHOOK_URL: 'https://a@hook.example/' },
      'WEBHOOK_URL',
    ],
    ['with a secret that is too short', { ...webhook, WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'WEBHOOK_SECRET'],
    [
      'with three secrets of a webhook',
      { ...webhook, WEBHOOK_SECRET: Array(3).fill(webhook.WEBHOOK_SECRET).join(' ') },
      'WEBHOOK_SECRET',
    ],
    [
      'with an event that there is not',
      { ...webhook, WEBHOOK_EVENTS: 'user.erased,file.read' },
      'WEBHOOK_EVENTS',
    ],
    ...[
      'localhost',
      '10.0.0.7',
      '8.8.8.8',
      '2130706433',
      '[fd00::1]',
      '[::ffff:10.0.0.7]',
      'nas.local.',
      'printer',
    ].map((host): [string, Record<string, string | undefined>, string] => [
      `with a webhook at ${host} in production`,
      deployed({ ...webhook, WEBHOOK_URL: `https://${host}/` }),
      'WEBHOOK_URL must have the name of a host in the public internet',
    ]),
    [
      'with a webhook’s secret of development',
      deployed({ ...webhook, WEBHOOK_SECRET: `whsec_${btoa(`development-${'x'.repeat(24)}`)}` }),
      'WEBHOOK_SECRET has a value that is for development',
    ],
    ['with a quota below zero', { DEFAULT_QUOTA_BYTES: '-1' }, 'DEFAULT_QUOTA_BYTES'],
  ]
  it.each(faults)(
    'refuses every request under /v1 %s, and names the variable',
    async (_, variables, named) => {
      for (const path of ['/v1/files', '/v1/uploads/x', '/v1/nothing']) {
        const answer = await askedWith(variables, path)
        expect(answer).toBeProblem(503, 'UNAVAILABLE', named)
        expect(answer.headers.get('Retry-After')).toBe('60')
      }
      const untold = await send('GET', '/v1/files', {}, serviceWith(variables))
      expect(untold).toBeProblem(503, 'UNAVAILABLE', named)
    },
  )

  it('never tells a value', async () => {
    const answer = await askedWith({ S3_ENDPOINT: 'secret-endpoint', JWT_SECRET: 'secret-secret' })
    expect(answer.text).not.toContain('secret-')
  })

  it('names several faults at once, and still describes itself', async () => {
    const variables = { JWT_SECRET: undefined, S3_ENDPOINT: undefined }
    const answer = await askedWith(variables)
    expect(answer).toBeProblem(503, 'UNAVAILABLE', 'JWT_SECRET')
    expect(answer).toBeProblem(503, 'UNAVAILABLE', 'S3_ENDPOINT')
    expect((await serviceWith(variables)(new Request('http://localhost/openapi.json'))).status).toBe(200)
  })
})

describe('DEVELOPMENT', () => {
  const askedAt = async (host: string, variables = {}) => {
    const headers = { Authorization: `Bearer ${await tokenFor('ada')}` }
    const request = new Request(`http://${host}/v1/files`, { headers })
    const response = await serviceWith(variables)(request)
    return { status: response.status, text: await response.text() }
  }

  it.each([
    ...[
      'localhost:8787',
      'game.localhost',
      '127.0.0.1',
      '127.8.9.1:80',
      '[::1]:8787',
      '10.0.0.7',
      '192.168.1.20',
    ],
    ...['172.16.0.1', '172.31.255.1', '169.254.1.1', '[fd00::7]', '[fe80::1]', 'laptop.local', 'laptop'],
    'host.docker.internal',
  ])('is answered at %s, which is this machine or a private network', async (host) => {
    expect(await askedAt(host)).toMatchObject({ status: 200 })
  })

  it.each([
    ...[
      'game.example',
      'edge.account.workers.dev',
      '8.8.8.8',
      '172.15.0.1',
      '172.32.0.1',
      '192.169.1.1',
      '11.0.0.1',
    ],
    ...[
      '127.0.0.1.example',
      'localhost.example',
      'local.example',
      '[2606:4700::1]',
      '[fec0::1]',
      '[ff02::1]',
    ],
    '[::ffff:808:808]',
  ])('serves nothing at %s', async (host) => {
    const { status, text } = await askedAt(host)
    expect([status, text]).toEqual([503, expect.stringContaining('DEVELOPMENT')])
    for (const path of ['/v1/nothing', '/v1/notifications/ws'])
      expect((await serviceWith({})(new Request(`http://${host}${path}`))).status).toBe(503)
  })

  it('is not needed where nothing is development’s', async () => {
    expect(await askedAt('game.example', deployed())).toMatchObject({ status: 200 })
  })
})

describe('a variable that is not set', () => {
  it('is what the contract says', () => {
    expect(configurationOf(env).config).toMatchObject({
      CORS_ORIGINS: ['*'],
      DOWNLOAD_URL_TTL: 900,
      UPLOAD_URL_TTL: 3_600,
      UPLOAD_TTL: 86_400,
      MULTIPART_THRESHOLD: 100 * 1024 ** 2,
      REQUIRE_CHECKSUM: false,
      DEFAULT_QUOTA_BYTES: 5 * 1024 ** 3,
      MAX_ITEMS: 100_000,
      MAX_ASSETS: 10_000,
      MAX_PUBLIC_ASSETS: 1_000,
      MAX_VERSIONS: 100_000,
      MAX_ENDED_UPLOADS: 10_000,
      MAX_IDEMPOTENCY_KEYS: 10_000,
      MAX_OPEN_UPLOADS: 1_000,
      MAX_FOLDER_DEPTH: 100,
      MAX_FOLDERS_MOVED: 10_000,
      MAX_SHARES_PER_FILE: 500,
      MAX_SHARES_PER_GRANTEE: 1_000,
      MAX_VERSIONS_PER_ASSET: 10_000,
      TRASH_RETENTION_DAYS: 30,
      NOTIFICATION_RETENTION_DAYS: 90,
      MAX_NOTIFICATIONS: 10_000,
    })
  })
})

describe('CORS_ORIGINS', () => {
  const from = (origin: string, CORS_ORIGINS?: string) =>
    send('OPTIONS', '/v1/files', { headers: { Origin: origin } }, serviceWith({ CORS_ORIGINS }))

  it('lets every origin in by default, and only the named ones otherwise', async () => {
    expect((await from('https://any.example')).headers.get('Access-Control-Allow-Origin')).toBe('*')
    const named = 'https://a.example, https://b.example'
    for (const origin of ['https://a.example', 'https://b.example'])
      expect((await from(origin, named)).headers.get('Access-Control-Allow-Origin')).toBe(origin)
    expect((await from('https://c.example', named)).headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  it('lets a page read the headers that clients need', async () => {
    const ada = await signUp()
    const headers = { Origin: 'https://any.example' }
    const exposed = (await ada.request('GET', '/files', { headers })).headers.get(
      'Access-Control-Expose-Headers',
    )
    const needed = ['X-Request-Id', 'X-D1-Bookmark', 'X-Inbox-Seq', 'ETag', 'Retry-After', 'Location']
    for (const header of [...needed, 'WWW-Authenticate', 'Allow', 'Deprecation', 'Sunset', 'Link'])
      expect(exposed).toContain(header)
  })
})

describe('S3_ENDPOINT', () => {
  it('is where URLs lead, whatever host the request came in on', async () => {
    const ada = await signUp()
    const file = await ada.file('a', 'a')
    const remote = ada.through(
      serviceWith({ S3_ENDPOINT: 'https://account.r2.example', S3_BUCKET: 'bucket' }),
    )
    const { body } = await remote.get(`/files/${file.id}/url`)
    expect(body).toMatchObject({
      url: expect.stringMatching(/^https:\/\/account\.r2\.example\/bucket\/[0-9a-f-]{36}\?/),
    })
  })
})

describe('X-D1-Bookmark', () => {
  it('comes with every answer that asked the database, and is taken back', async () => {
    const ada = await signUp()
    const bookmark =
      (await ada.createFolder({ name: 'a', asset_type: 'folder' })).headers.get('X-D1-Bookmark') ?? ''
    expect(bookmark).toMatch(/^(DB_\d+:)?[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}\.[0-9a-f]{8}$/)
    const headers = { 'X-D1-Bookmark': bookmark }
    const answer = await ada.get('/files', headers)
    expect(answer.body).toMatchObject({ files: [{ name: 'a' }] })
    const [{ id }] = (answer.body as { files: [{ id: string }] }).files
    expect((await ada.get(`/files/${id}`, headers)).status).toBe(200)
    const bob = await signUp()
    expect(await bob.get(`/files/${id}`, headers)).toBeProblem(404, 'FILE_NOT_FOUND')
  })
})

describe('JWKS_URL', () => {
  const { url, keys } = inject('login')
  const variables = {
    JWT_SECRET: undefined,
    JWKS_URL: url,
    JWT_ISSUER: 'https://login.example',
    JWT_AUDIENCE: 'game',
  }
  const claims = {
    sub: 'ada',
    iss: 'https://login.example',
    aud: 'game',
    exp: Math.floor(Date.now() / 1000) + 60,
  }
  const keyOf = (algorithm: string) => keys.find(({ alg }) => alg === algorithm)
  const signed = async (algorithm: string, different: Record<string, unknown> = {}, header = {}) =>
    new SignJWT({ ...claims, ...different })
      .setProtectedHeader({ alg: algorithm, kid: algorithm, ...header })
      .sign(await importPKCS8(keyOf(algorithm)?.private_key ?? '', algorithm))
  const ask = (token: string, other: Record<string, string | undefined> = {}) =>
    new User('ada', token, serviceWith({ ...variables, ...other })).get('/files')

  it.each(['RS256', 'ES256', 'EdDSA'] as const)(
    'lets in who has a token signed with %s',
    async (algorithm) => {
      expect((await ask(await signed(algorithm))).status).toBe(200)
      expect(
        await ask(await signed(algorithm), { JWT_ALGORITHMS: algorithm === 'RS256' ? 'ES256' : 'RS256' }),
      ).toBeProblem(401, 'UNAUTHENTICATED')
    },
  )

  it('may be an http:// address of this machine in development', async () => {
    const localhost = url.replace('127.0.0.1', 'localhost')
    expect((await ask(await signed('ES256'), { JWKS_URL: localhost })).status).toBe(200)
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const JWKS_URL = `http://${host}:8080/jwks`
      const here = { ...variables, JWKS_URL }
      expect(configurationOf({ ...env, ...here }).problems).toBeUndefined()
      const { problems } = configurationOf({ ...env, ...here, ...deployed() })
      expect(problems).toEqual(['JWKS_URL has a value that is for development, and DEVELOPMENT is not set'])
    }
  })

  it('says UNAVAILABLE, not 401, when the keys cannot be fetched', async () => {
    const answer = await ask(await signed('ES256'), { JWKS_URL: `${url}/out-of-order` })
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(answer.headers.get('Retry-After')).toBe('5')
  })
})
