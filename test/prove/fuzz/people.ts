import { tokenFor, User } from '../../support/user.ts'
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
  { name: 'moderator', scopes: ['content:moderate', 'quota:write'] },
  { name: 'social', scopes: ['notifications:publish', 'users:erase'] },
]

/** How many of them are no operators. */
export const ORDINARY = 3

/** Everybody, anew. */
export function assemble(): Promise<Person[]> {
  return Promise.all(
    cast.map(async ({ name, scopes }, index) => {
      const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
      const user_id = `${name} ${markerOf(number)}`
      const token = await tokenFor(user_id, scopes.length > 0 ? { scope: scopes.join(' ') } : {})
      return { index, user: new User(user_id, token), scopes }
    }),
  )
}
