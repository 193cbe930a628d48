import { type Answer, comparable } from '../../support/answer.ts'
import { boundedTo } from '../../support/creator.ts'
import type { Endpoint } from '../../support/description.ts'
import { unknownId } from '../../support/ids.ts'
import { operator, signUp, type User } from '../../support/user.ts'
import { ask } from './ask.ts'
import { estatesOf } from './estate.ts'
import type { Actor, Relation } from './relations.ts'
import { type Thing, worldWith } from './things.ts'

/** An answer in the words of the table. */
export const said = ({ status, body }: Answer) =>
  status < 400 ? String(status) : `${status} ${(body as { code: string }).code}`

/**
 * What an actor is told, in the words of the table: a request to `endpoint` that names Ada's thing as `row` says, in a
 * world that no request has changed. More words than that tell what went wrong: what a refusal did, or gave away by being
 * unlike the answer for an id that nothing has.
 */
export async function told(row: Relation, endpoint: Endpoint, actor: Actor, scopes: string): Promise<string> {
  const isNamed = row.place === '{id}'
  const name = `${row.thing}, ${actor}, ${isNamed}`
  const setting = unchanged.get(name) ?? (await settingOf(row.thing, actor, { isNamed, scopes }))
  unchanged.delete(name)
  const { ada, named, user, own, both, before } = setting
  const answer = await ask(user, endpoint, row.place, named.id, own)
  const after = await estatesOf(both)
  const isRead = answer.status >= 400 || row.method === 'GET'
  if (isRead && isSame(before, after)) unchanged.set(name, setting)

  const effect = row.answers[actor]?.effect
  const words = [said(answer)]
  if (effect === 'kept') words.push(effect)
  else if (effect)
    words.push(
      isIn(answer, row.place === 'listed' ? named.id : (named.counted ?? SIGNED)) ? 'shown' : 'hidden',
    )
  if (effect === 'hidden' && user !== ada && answer.text.includes(ada.id)) words.push('(names Ada)')
  if (answer.status >= 400 && !isSame(before, after)) words.push('(changed something)')
  if (effect && effect !== 'shown' && !isSame(before[0], after[0])) words.push('(changed something of hers)')
  // A moderator knows that there is a case, and is told that its thing is gone.
  const isAboutCase = row.thing === 'case' && actor === 'too late'
  if ((isToBeUnknown(answer) && !isAboutCase) || (effect === 'hidden' && row.place.startsWith('.'))) {
    const unknown = await ask(user, endpoint, row.place, unknownId, own)
    // An answer about many repeats each id.
    const text = answer.text.replaceAll(named.id, unknownId)
    if (!isSame(comparable({ ...answer, text }), comparable(unknown))) words.push('(unlike an unknown one)')
  }
  return words.join(' ')
}

/** The mark of a URL to content. */
const SIGNED = /X-Amz-Signature=/

/** Worlds in which requests were refused, or have read, and changed nothing: the next request finds them as they were made. */
const unchanged = new Map<string, Awaited<ReturnType<typeof settingOf>>>()

/** A fresh world, an actor in it, and what Ada and the actor have. */
async function settingOf(
  thing: Thing,
  actor: Actor,
  { isNamed, scopes }: { isNamed: boolean; scopes: string },
) {
  const isBlocked = actor === 'blocked'
  const isMature = actor === 'bounded'
  const isReported = actor === 'reporter'
  const isPublic = isBlocked || isMature || isReported || actor === 'public'
  const world = await worldWith(thing, { isBlocked, isPublic, isMature, isReported })
  if (actor === 'erased' || actor === 'too late') await erase(world.ada)
  const user = await whoIs(actor, world, scopes)
  const own = isNamed ? undefined : await ownThings(user)
  const both = user === world.ada ? [user] : [world.ada, user]
  return { ...world, user, own, both, before: await estatesOf(both) }
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

async function erase(user: User): Promise<void> {
  const eraser = await operator('users:erase')
  const { status } = await eraser.request('DELETE', `/users/${user.id}`)
  if (status !== 202) throw new Error(`not erased: ${status}`)
}

async function whoIs(
  actor: Actor,
  { ada, grantee, reporter }: { ada: User; grantee: User; reporter: User | undefined },
  scopes: string,
): Promise<User> {
  if (actor === 'owner' || actor === 'erased') return ada
  if (actor === 'grantee') return grantee
  if (actor === 'operator' || actor === 'too late') return operator(scopes)
  if (reporter) return reporter
  const stranger = await signUp('stranger')
  return actor === 'bounded' ? boundedTo(stranger, 'everyone') : stranger
}
