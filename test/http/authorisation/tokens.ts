import { exportJWK, generateKeyPair, importPKCS8, type JWTHeaderParameters, SignJWT } from 'jose'
import { inject } from 'vitest'
import { bytes } from '../../support/content.ts'
import { variables } from '../../support/variables.ts'
import { MILLISECONDS, MISSHAPEN, NOTHING, wrong } from './challenges.ts'

/** A way in which a studio can let the service check tokens, and the tokens that its login then gives out. */
export interface Login {
  name: string
  /** What the service is configured with. */
  variables: Record<string, string | undefined>
  /** A token of Ada's that the login could have signed; `undefined` takes a claim away. */
  signed(different?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>
  /** The same, signed by somebody else. */
  forged(header?: Partial<JWTHeaderParameters>): Promise<string>
  /** The algorithms that it may sign with, as a refusal lists them. */
  allowed: string
  /** Tokens that only here are worth a try, each with its challenge. */
  own: Record<string, [token: string, challenge: string]>
}

const issuer = 'https://login.example'
const audience = 'game'
/** Something that the login knows and the service doesn't: what is critical must be understood (RFC 7515 §4.1.11). */
const EXTENSION = 'https://login.example/extension'
const known = { crit: { [EXTENSION]: true } }

const now = () => Math.floor(Date.now() / 1000)

/** What a token says, with nothing wrong about it. */
function claimsOf(sub: string, different: Record<string, unknown> = {}): Record<string, unknown> {
  return { sub, iss: issuer, aud: audience, exp: now() + 600, ...different }
}

/** The two kinds of login (docs/login.md#how-tokens-are-checked), giving tokens to the user with this id. */
export async function loginsFor(sub: string): Promise<Login[]> {
  return [await keySet(sub), await sharedSecret(sub)]
}

async function keySet(sub: string): Promise<Login> {
  const { url, keys } = inject('login')
  const pair = (alg: string) => {
    const found = keys.find((key) => key.alg === alg)
    if (!found) throw new Error(`the login has no key for ${alg}`)
    return found
  }
  const alg = 'ES256'
  const kid = alg
  const allowed = 'RS256, ES256, EdDSA'
  const signingKey = await importPKCS8(pair(alg).private_key, alg)
  const forger = await generateKeyPair(alg, { extractable: true })
  const token = (key: CryptoKey, different?: Record<string, unknown>, header = {}) =>
    new SignJWT(claimsOf(sub, different)).setProtectedHeader({ alg, kid, ...header }).sign(key, known)
  const withPublicKey = (of: string) =>
    new SignJWT(claimsOf(sub)).setProtectedHeader({ alg: 'HS256', kid: of }).sign(bytes(pair(of).public_key))
  return {
    name: 'a key set',
    variables: { JWT_SECRET: undefined, JWKS_URL: url, JWT_ISSUER: issuer, JWT_AUDIENCE: audience },
    signed: (different, header) => token(signingKey, different, header),
    forged: (header) => token(forger.privateKey, {}, header),
    allowed,
    own: {
      'HS256 signed with the public key': [await withPublicKey('RS256'), wrong.algorithm(allowed)],
      'HS256 signed with the public key of the curve': [
        await withPublicKey('ES256'),
        wrong.algorithm(allowed),
      ],
      'the kid of another key': [await token(signingKey, {}, { kid: 'EdDSA' }), wrong.noKey],
      'the kid of no key': [await token(signingKey, {}, { kid: 'unknown' }), wrong.noKey],
      'a key of its own, brought along': [
        await token(forger.privateKey, {}, { kid: 'unknown', jwk: await exportJWK(forger.publicKey) }),
        wrong.noKey,
      ],
      'the address of another key set': [
        await token(forger.privateKey, {}, { jku: 'https://evil.example/jwks' }),
        wrong.signature,
      ],
      'signed with the secret of the tests': [
        await new SignJWT(claimsOf(sub))
          .setProtectedHeader({ alg: 'HS256' })
          .sign(bytes(variables.JWT_SECRET)),
        wrong.algorithm(allowed),
      ],
    },
  }
}

async function sharedSecret(sub: string): Promise<Login> {
  const token = (secret: string, different?: Record<string, unknown>, header = {}) =>
    new SignJWT(claimsOf(sub, different))
      .setProtectedHeader({ alg: 'HS256', ...header })
      .sign(bytes(secret), known)
  const signer = await generateKeyPair('RS256')
  return {
    name: 'a shared secret',
    variables: { JWT_ISSUER: issuer, JWT_AUDIENCE: audience },
    signed: (different, header) => token(variables.JWT_SECRET, different, header),
    forged: (header) => token('another secret that is as long as the first', {}, header),
    allowed: 'HS256',
    own: {
      'the right secret and another algorithm': [
        await token(variables.JWT_SECRET, {}, { alg: 'HS512' }),
        wrong.algorithm('HS256'),
      ],
      'a private key, where a secret is shared': [
        await new SignJWT(claimsOf(sub)).setProtectedHeader({ alg: 'RS256' }).sign(signer.privateKey),
        wrong.algorithm('HS256'),
      ],
    },
  }
}

const part = (value: unknown) =>
  btoa(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')

/** A try to get in without a good token, and the challenge that is the answer (RFC 6750 §3). */
export interface Attempt {
  name: string
  /** The token, where it stands in the place for it. */
  token?: string
  headers: Record<string, string>
  query?: string
  challenge: string
}

/** Every way to come with something wrong about one's token, or with a good one in the wrong place. */
export async function attemptsAt(login: Login, sub: string): Promise<Attempt[]> {
  const tokens: Attempt[] = []
  for (const [name, [token, challenge]] of Object.entries(await badTokens(login, sub)))
    tokens.push({ name, token, headers: { Authorization: `Bearer ${token}` }, challenge })
  return [...tokens, ...misplaced(await login.signed())]
}

/** Tokens that each have one thing wrong (RFC 8725 §2 and §3), by what it is, and the challenge that answers it. */
async function badTokens(
  { allowed, signed, forged, own }: Login,
  sub: string,
): Promise<Record<string, [token: string, challenge: string]>> {
  const good = await signed()
  const [header = '', payload = '', signature = ''] = good.split('.')
  const unsigned = (alg: string) => `${part({ alg })}.${payload}.`
  const altered = (claims: Record<string, unknown>) => `${header}.${part(claimsOf(sub, claims))}.${signature}`
  const algorithm = wrong.algorithm(allowed)
  return {
    malformed: ['not.a.token', wrong.malformed],
    'of one part': [payload, wrong.notThreeParts(1)],
    'of two parts': [`${header}.${payload}`, wrong.notThreeParts(2)],
    'of five parts, as if encrypted': [`${good}.${payload}.${payload}`, wrong.encrypted],
    'cut short': [good.slice(0, -4), wrong.signature],
    expired: [await signed({ exp: now() - 1 }), wrong.expired],
    'expiring on no date': [await signed({ exp: 'never' }), wrong.notNumber('exp', 'text')],
    'expiring at a list of dates': [await signed({ exp: [now() + 600] }), wrong.notNumber('exp', 'a list')],
    'expiring at null': [await signed({ exp: null }), wrong.notNumber('exp', 'null')],
    'expiring in milliseconds': [
      await signed({ exp: (now() + 600) * 1_000 }),
      wrong.time('exp', MILLISECONDS),
    ],
    'expiring in milliseconds, issued in seconds': [
      await signed({ iat: now(), nbf: now(), exp: (now() + 600) * 1_000 }),
      wrong.time('exp', MILLISECONDS),
    ],
    'expiring in another century': [await signed({ exp: Date.UTC(2100, 0) / 1_000 }), wrong.time('exp')],
    'issued in milliseconds': [await signed({ iat: now() * 1_000 }), wrong.time('iat', MILLISECONDS)],
    'issued in text': [await signed({ iat: String(now()) }), wrong.notNumber('iat', 'text')],
    'valid from the last century on': [await signed({ nbf: 0 }), wrong.time('nbf')],
    'valid from a time in milliseconds on': [
      await signed({ nbf: now() * 1_000 }),
      wrong.time('nbf', MILLISECONDS),
    ],
    'not yet valid': [await signed({ nbf: now() + 600 }), wrong.notYet],
    'signed with another key': [await forged(), wrong.signature],
    'another user, put in after it was signed': [altered({ sub: `${sub}-2` }), wrong.signature],
    'a longer life, put in after it was signed': [altered({ exp: now() + 999_999 }), wrong.signature],
    'a wrong issuer and no user, put in after it was signed': [
      altered({ iss: 'https://evil.example', sub: undefined, exp: 0 }),
      wrong.signature,
    ],
    'alg none': [unsigned('none'), algorithm],
    'alg nOnE': [unsigned('nOnE'), algorithm],
    'alg none, with the signature of another token': [`${unsigned('none')}${signature}`, algorithm],
    'wrong issuer': [await signed({ iss: 'https://evil.example' }), wrong.issuer()],
    'an issuer that begins as the right one does': [
      await signed({ iss: `${issuer}.evil.example` }),
      wrong.issuer(),
    ],
    'the issuer with a slash at its end': [
      await signed({ iss: `${issuer}/` }),
      wrong.issuer(": they differ in a '/' at the end"),
    ],
    'no issuer': [await signed({ iss: undefined }), wrong.missing('iss', 'compared with JWT_ISSUER')],
    'wrong audience': [await signed({ aud: 'another game' }), wrong.audience],
    'wrong audiences': [await signed({ aud: ['another game', 'a third'] }), wrong.audience],
    'no audience': [await signed({ aud: undefined }), wrong.missing('aud', 'compared with JWT_AUDIENCE')],
    'missing sub': [await signed({ sub: undefined }), wrong.missing('sub', 'the user id')],
    'an empty sub': [await signed({ sub: '' }), wrong.subject('is empty')],
    'a sub of 129 characters': [
      await signed({ sub: 'x'.repeat(129) }),
      wrong.subject('has 129 characters, and at most 128 are allowed'),
    ],
    'a sub with a control character': [
      await signed({ sub: `${sub}\u0000` }),
      wrong.subject('has a control character'),
    ],
    'a sub with half of a surrogate pair': [
      await signed({ sub: `${sub}\ud800` }),
      wrong.subject('has half of a surrogate pair'),
    ],
    'a sub that no path can name': [
      await signed({ sub: '.' }),
      wrong.subject("is '.' or '..', which no path can hold"),
    ],
    'a sub that is the path above': [
      await signed({ sub: '..' }),
      wrong.subject("is '.' or '..', which no path can hold"),
    ],
    'a sub of white space alone': [await signed({ sub: ' \u3000' }), wrong.subject('is only white space')],
    'a sub that is a number': [await signed({ sub: 7 }), wrong.subject('is a number and not text')],
    'a sub that is an object': [
      await signed({ sub: { id: sub } }),
      wrong.subject('is an object and not text'),
    ],
    'a bound that is no rating': [await signed({ max_rating: 'adult' }), wrong.bound('another text')],
    'a bound in capitals': [await signed({ max_rating: 'Teen' }), wrong.bound('another text')],
    'an empty bound': [await signed({ max_rating: '' }), wrong.bound('another text')],
    'a bound of null': [await signed({ max_rating: null }), wrong.bound('null')],
    'a bound that is an age': [await signed({ max_rating: 13 }), wrong.bound('a number')],
    'a list of bounds': [await signed({ max_rating: ['everyone'] }), wrong.bound('a list')],
    'missing exp': [
      await signed({ exp: undefined }),
      wrong.missing('exp', 'when it expires, in Unix seconds'),
    ],
    'an extension that it calls critical': [
      await signed({}, { crit: [EXTENSION], [EXTENSION]: true }),
      wrong.extension,
    ],
    ...own,
  }
}

/** A good token, where none is taken from (RFC 6750 §2: only the header's). */
function misplaced(good: string): Attempt[] {
  const authorization = (name: string, Authorization: string) => ({
    name,
    headers: { Authorization },
    challenge: MISSHAPEN,
  })
  return [
    { name: 'no token', headers: {}, challenge: NOTHING },
    { name: 'in the query', headers: {}, query: `access_token=${good}`, challenge: NOTHING },
    { name: 'in a cookie', headers: { Cookie: `access_token=${good}` }, challenge: NOTHING },
    { name: 'for a proxy', headers: { 'Proxy-Authorization': `Bearer ${good}` }, challenge: NOTHING },
    authorization('Bearer without a token', 'Bearer '),
    authorization('another scheme', `Basic ${btoa(`ada:${good}`)}`),
    authorization('no scheme', good),
    authorization('two tokens', `Bearer ${good} ${good}`),
    authorization('two headers', `Bearer ${good}, Bearer ${good}`),
  ]
}
