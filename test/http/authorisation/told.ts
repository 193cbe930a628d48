import { type Answer, comparable } from '../../support/answer.ts'
import type { Endpoint } from '../../support/description.ts'
import { unknownId } from '../../support/ids.ts'
import { operator, signUp, type User } from '../../support/user.ts'
import { ask } from './ask.ts'
import { estatesOf } from './estate.ts'
import type { Actor, Relation } from './relations.ts'
import { worldWith } from './things.ts'

/** An answer in the words of the table. */
export const said = ({ status, body }: Answer) =>
  status < 400 ? String(status) : `${status} ${(body as { code: string }).code}`

/**
 * What an actor is told in a fresh world, in the words of the table: a request to `endpoint` that names Ada's thing as
 * `row` says. More words than that tell what went wrong: what a refusal did, or gave away by being unlike the answer
 * for an id that nothing has.
 */
export async function told(row: Relation, endpoint: Endpoint, actor: Actor, scopes: string): Promise<string> {
  const isBlocked = actor === 'blocked'
  const world = await worldWith(row.thing, { isBlocked, isPublic: isBlocked || actor === 'public' })
  const { ada, named } = world
  const user = await whoIs(actor, world, scopes)
  const own = row.place === '{id}' ? undefined : await ownThings(user)
  const both = user === ada ? [ada] : [ada, user]
  const before = await estatesOf(both)
  const answer = await ask(user, endpoint, row.place, named.id, own)
  const after = await estatesOf(both)

  const { effect } = row.answers[actor]
  const words = [said(answer)]
  if (effect === 'kept') words.push(effect)
  else if (effect)
    words.push(isIn(answer, row.place === 'listed' ? named.id : named.counted) ? 'shown' : 'hidden')
  if (effect === 'hidden' && user !== ada && answer.text.includes(ada.id)) words.push('(names Ada)')
  if (answer.status >= 400 && !isSame(before, after)) words.push('(changed something)')
  if (effect && effect !== 'shown' && !isSame(before[0], after[0])) words.push('(changed something of hers)')
  if (isToBeUnknown(answer) || (effect === 'hidden' && row.place.startsWith('.'))) {
    const unknown = await ask(user, endpoint, row.place, unknownId, own)
    if (!isSame(comparable(answer), comparable(unknown))) words.push('(unlike an unknown one)')
  }
  return words.join(' ')
}

/** What a request finds of the asking user's own: a folder, whose id it is, and another in the trash. */
async function ownThings(user: User): Promise<string> {
  await user.delete(await user.folder())
  return (await user.folder()).id
}

/** Not there, or not to be asked for at all: neither may tell whether there is such a thing. */
function isToBeUnknown({ status, text }: Answer): boolean {
  return status === 404 || text.includes('"FORBIDDEN"')
}

function isIn({ text }: Answer, mark: string | RegExp | undefined): boolean {
  return mark !== undefined && text.search(mark) >= 0
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

async function whoIs(actor: Actor, world: { ada: User; grantee: User }, scopes: string): Promise<User> {
  if (actor === 'owner') return world.ada
  if (actor === 'grantee') return world.grantee
  return actor === 'operator' ? operator(scopes) : signUp('stranger')
}
