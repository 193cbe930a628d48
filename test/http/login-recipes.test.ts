import { importPKCS8, SignJWT } from 'jose'
import { describe, expect, inject, it } from 'vitest'
import page from '../../docs/login-recipes.md?raw'
import { configurationOf } from '../support/context.ts'
import { serviceWith } from '../support/service.ts'
import { User } from '../support/user.ts'
import { variables } from '../support/variables.ts'

/** A login's part of the page: the variables that it tells to set, and the claims of a token that it shows. */
interface Recipe {
  name: string
  set: Record<string, string>
  claims: Record<string, unknown>
}

const recipes = page.split(/^## /m).flatMap((part): Recipe[] => {
  const [name = ''] = part.split('\n')
  const block = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(part)?.[1]
  const [settings, claims] = [block('ini'), block('json')]
  if (!settings || !claims) return []
  const set = Object.fromEntries(
    settings
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/)),
  )
  return [{ name, set, claims: JSON.parse(claims) }]
})

const { url, keys } = inject('login')

/** A token with these claims that the login of the tests signs, in the place of the vendor's. */
async function signed(claims: Record<string, unknown>): Promise<string> {
  const alg = 'RS256'
  const key = await importPKCS8(keys.find((key) => key.alg === alg)?.private_key ?? '', alg)
  const exp = Math.floor(Date.now() / 1_000) + 60
  return new SignJWT({ exp, ...claims }).setProtectedHeader({ alg, kid: alg }).sign(key)
}

it('there is a recipe for each of the five logins', () => {
  expect(recipes.map(({ name }) => name)).toEqual(['Auth0', 'Clerk', 'Supabase Auth', 'Cognito', 'Firebase'])
})

describe.each(recipes)('the recipe for $name', ({ set, claims }) => {
  it('is a configuration that a deployment may have', () => {
    const deployed = { S3_ENDPOINT: 'https://a.r2.example', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
    const environment = { ...variables, ...deployed, JWT_SECRET: '', DEVELOPMENT: '', ...set }
    expect(configurationOf(environment)).not.toHaveProperty('problems')
  })

  it('lets in who has a token with the claims that it shows, with the scopes that these name', async () => {
    const service = serviceWith({ ...set, JWT_SECRET: undefined, JWKS_URL: url })
    const ask = async (different: Record<string, unknown>, path: string) =>
      new User('', await signed({ ...claims, ...different }), service).get(path)
    expect((await ask({}, '/users/ada/quota')).status).toBe(200)
    expect((await ask({ scope: null, scp: null }, '/quota')).status).toBe(200)
    expect(await ask({ scope: null, scp: null }, '/users/ada/quota')).toBeProblem(403, 'FORBIDDEN')
    expect(await ask({ iss: 'https://evil.example' }, '/quota')).toBeProblem(401, 'UNAUTHENTICATED', 'iss')
    expect(await ask({ aud: undefined }, '/quota')).toBeProblem(401, 'UNAUTHENTICATED', 'aud')
  })
})
