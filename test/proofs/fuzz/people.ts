import { SignJWT } from 'jose'
import { FIRST } from '../../../src/platform/shards/map.ts'
import { bytes } from '../../support/content.ts'
import { databaseNames, inDatabase } from '../../support/databases.ts'
import { tokenFor } from '../../support/identities.ts'
import { User } from '../../support/user.ts'
import { variables } from '../../support/variables.ts'
import { markerOf } from './dice.ts'

/** Someone of a round. Nobody has seen their id before, and it is recognised wherever it is shown. */
export interface Person {
  index: number
  user: User
  scopes: string[]
}

/** Who takes part, by the scopes of their tokens. The third has an id that has to be written with care. */
const cast: { name: string; scopes: string[] }[] = [
  { name: 'ada', scopes: [] },
  { name: 'bob', scopes: [] },
  { name: 'zoë/%2F?#"\\', scopes: [] },
  { name: 'moderator', scopes: ['content:moderate', 'content:check', 'quota:write', 'users:read'] },
  { name: 'social', scopes: ['notifications:publish', 'announcements:publish', 'users:erase', 'audit:read'] },
  {
    name: 'keeper',
    scopes: ['events:manage', 'job:read', 'saves:recall', 'shards:move', 'content:reconcile'],
  },
]

/** How many of them are no operators. */
export const ORDINARY = 3

/** Everybody, anew. */
export function assemble(): Promise<Person[]> {
  return Promise.all(
    cast.map(async ({ name, scopes }, index) => {
      // One after another in the next database.
      const database = databaseNames[index % databaseNames.length] ?? FIRST
      const user_id = inDatabase(database, () => `${name} ${markerOf(anyNumber())}`)
      const token = await tokenFor(user_id, scopes.length > 0 ? { scope: scopes.join(' ') } : {})
      return { index, user: new User(user_id, token), scopes }
    }),
  )
}

function anyNumber(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  return number
}

/** Tokens that the login never signs like this, or not with this key: whoever brings one is nobody. */
export async function forgedTokens(people: Person[]): Promise<string[]> {
  const sub = people[0]?.user.id ?? 'ada'
  const now = Math.floor(Date.now() / 1_000)
  const exp = now + 3_600
  const claims: Record<string, unknown>[] = [
    ...[1_000 * exp, now, -1, 0, 1e21, 2 ** 53, String(exp), null, [exp], {}, true].map((wrong) => ({
      exp: wrong,
    })),
    ...[
      '',
      '.',
      '..',
      ' ',
      '\t',
      '\u00a0',
      '\u3000 ',
      'a\u0000b',
      'a'.repeat(129),
      '\u2028',
      7,
      null,
      ['ada'],
    ].map((wrong) => ({ sub: wrong })),
    { nbf: now + 3_600 },
  ]
  const secret = (await tokenFor(sub)).split('.')
  const signed = await Promise.all(claims.map((wrong) => tokenOf({ sub, exp, ...wrong })))
  const foreign = await new SignJWT({ sub, exp })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(bytes('another secret of at least 32 bytes'))
  return [...signed, foreign, `${secret[0]}.${secret[1]}.`, `${secret[0]}..${secret[2]}`]
}

function tokenOf(claims: Record<string, unknown>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(bytes(variables.JWT_SECRET))
}
