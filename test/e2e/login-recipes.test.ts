import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { allowedByScope } from '../support/exposed.ts'
import { project } from './citations.ts'
import { blocksOf } from './guides.ts'

const JWT_SECRET = 'a secret of a backend that mints its tokens'
const [minting = ''] = blocksOf('login.md', 'sh', 'Mint with the shared secret')
const mint = /<<'END'\n(.*?)^END$/ms.exec(minting)?.[1] ?? ''
const [steam = ''] = blocksOf('login-recipes.md', 'js', 'Steam')
const [epic = ''] = blocksOf('login-recipes.md', 'js', 'Epic Online Services')

/** Steam and Epic, as far as the recipes call them: Epic signs with a key of its own. */
const stores = `
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
const { publicKey, privateKey } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256', kid: 'one' }
const asked = []
globalThis.fetch = async (input) => {
  const url = new URL(input)
  asked.push(url.origin + url.pathname)
  if (url.pathname === '/auth/v1/oauth/jwks') return Response.json({ keys: [jwk] })
  const { ticket, ...others } = Object.fromEntries(url.searchParams)
  const isKnown = ticket === '14000000' && JSON.stringify(others) === '{"key":"k","appid":"480","identity":"storage"}'
  const params = { result: 'OK', steamid: '76561197960287930', ownersteamid: '76561197960287930' }
  return Response.json({ response: isKnown ? { params } : { error: { errorcode: 101, errordesc: 'Invalid ticket' } } })
}
const idToken = (claims) => new SignJWT({ iss: 'https://api.epicgames.dev/auth/v1/oauth', aud: 'client', sub: '0002ab', exp: Date.now() / 1000 + 60, ...claims })
  .setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
const told = async (token) => console.log(await token.catch((error) => 'refused: ' + error.message))
`

/** What a program prints, in lines, with the recipes' code and the secret of the backend. */
async function printed(program: string): Promise<string[]> {
  const child = spawn('node', ['--input-type=module', '-'], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, JWT_SECRET, STEAM_KEY: 'k', STEAM_APP_ID: '480', EOS_CLIENT_ID: 'client' },
  })
  child.stdin.end(`${mint}\n${steam}\n${epic}\n${stores}\n${program}`)
  return (await text(child.stdout)).trim().split('\n')
}

/** The user of a token, as this service checks it. */
async function userOf(token = ''): Promise<string | undefined> {
  const key = new TextEncoder().encode(JWT_SECRET)
  const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], requiredClaims: ['exp'] })
  return payload.sub
}

it('docs/login.md lists the scopes, each with what it allows', () => {
  const page = readFileSync(`${project}docs/login.md`, 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z]+:[a-z]+)` \| (.*) \|$/gm)].map(([, scope, allows]) => [
    scope,
    allows,
  ])
  expect(Object.fromEntries(rows)).toEqual(allowedByScope)
})

describe('a backend of one’s own', () => {
  it('mints a token for whom Steam knows by the ticket, and for nobody else', async () => {
    const [token, refused, asked] = await printed(`
      await told(tokenForSteam('14000000'))
      await told(tokenForSteam('ffffffff'))
      console.log(asked[0])`)
    expect(await userOf(token)).toBe('steam:76561197960287930')
    expect(refused).toBe('refused: Steam does not know this ticket.')
    expect(asked).toBe('https://partner.steam-api.com/ISteamUserAuth/AuthenticateUserTicket/v1/')
  })

  it('mints a token for whom Epic’s ID token names, and for nobody else', async () => {
    const [token, issuer, audience, expired, unsigned] = await printed(`
      await told(tokenForEpic(await idToken()))
      await told(tokenForEpic(await idToken({ iss: 'https://evil.example' })))
      await told(tokenForEpic(await idToken({ aud: 'another' })))
      await told(tokenForEpic(await idToken({ exp: 1 })))
      await told(tokenForEpic((await idToken()).replace(/[^.]+$/, 'AAAA')))`)
    expect(await userOf(token)).toBe('epic:0002ab')
    expect(issuer).toBe('refused: Epic did not issue this token.')
    expect(audience).toContain('"aud"')
    expect(expired).toContain('"exp"')
    expect(unsigned).toContain('signature')
  })
})
