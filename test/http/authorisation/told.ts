import { type Answer, comparable } from '../../support/answer.ts'
import { boundedTo } from '../../support/creator.ts'
import type { Endpoint } from '../../support/description.ts'
import { unknownId } from '../../support/ids.ts'
import { operator, signUp, type User } from '../../support/user.ts'
import { ask } from './ask.ts'
import { counting } from './calls.ts'
import { estatesOf } from './estate.ts'
import type { Actor, Relation } from './relations.ts'
import { type Thing, unseen, worldWith } from './things.ts'

/** An answer in the words of the table. */
export const said = ({ status, body }: Answer) =>
  status < 400 ? String(status) : `${status} ${(body as { code: string }).code}`

const { service, callsOf } = counting()

/**
 * What an actor is told, in the words of the table: a request to `endpoint` that names Ada's thing as `row` says, in a
 * world that no request has changed. More words than that tell what went wrong: what a refusal did, or gave away by being
 * unlike the answer for an id that nothing has.
 */
export async function told(row: Relation, endpoint: Endpoint, actor: Actor, scopes: string): Promise<string> {
  const isNamed = row.place === '{id}'
  const [name, world] = await worldFor(row.thing, actor)
  const { ada, named } = world
  const { user, own, before } = await visitorOf(world, actor, { isNamed, scopes })
  const [answer, calls] = await callsOf(() =>
    ask(user, endpoint, { place: row.place, id: named.id, own }, service),
  )
  // What has called no object and has written no row has changed nothing.
  const hasActed = calls.rows_written + calls.objects > 0
  const now = hasActed ? await estatesOf(user === ada ? [ada] : [ada, user]) : undefined
  const isHersSame = !now || isSame(world.before, now[0])
  const isAllSame = isHersSame && (!now || user === ada || isSame(before, now[1]))
  const isRead = answer.status >= 400 || row.method === 'GET'
  // Announcements end after each test.
  if (!(isRead && isAllSame) || row.thing === 'announcement') unchanged.delete(name)

  const effect = row.answers[actor]?.effect
  const words = [said(answer)]
  if (effect === 'kept') words.push(effect)
  else if (effect)
    words.push(
      isIn(answer, row.place === 'listed' ? named.id : (named.counted ?? SIGNED)) ? 'shown' : 'hidden',
    )
  if (effect === 'hidden' && user !== ada && answer.text.includes(ada.id)) words.push('(names Ada)')
  if (answer.status >= 400 && !isAllSame) words.push('(changed something)')
  if (effect && effect !== 'shown' && !isHersSame) words.push('(changed something of hers)')
  // A moderator knows that there is a case, and is told that its thing is gone.
  const isAboutCase = row.thing === 'case' && actor === 'too late'
  if ((isToBeUnknown(answer) && !isAboutCase) || (effect === 'hidden' && row.place.startsWith('.'))) {
    const unknown = await ask(user, endpoint, { place: row.place, id: unknownId, own }, service)
    // An answer about many repeats each id.
    const text = answer.text.replaceAll(named.id, unknownId)
    if (!isSame(comparable({ ...answer, text }), comparable(unknown))) words.push('(unlike an unknown one)')
  }
  return words.join(' ')
}

/** The mark of a URL to content. */
const SIGNED = /X-Amz-Signature=/

/** Worlds in which requests were refused, or have read, and changed nothing: the next request finds them as they were made. */
const unchanged = new Map<string, World>()

/** A world, what Ada has in it, and who has asked for it. */
type World = Awaited<ReturnType<typeof worldOf>>

/** A world in which an actor can ask, and its name. Actors share it when what has been done to Ada's thing is the same. */
async function worldFor(thing: Thing, actor: Actor): Promise<[name: string, World]> {
  const isErased = actor === 'erased' || actor === 'too late'
  const isShared = actor === 'owner' || actor === 'stranger' || actor === 'grantee' || actor === 'operator'
  const done = isErased ? 'erased' : isShared || unseen.includes(thing) ? 'private' : actor
  const name = `${thing}, ${done}`
  const world = unchanged.get(name) ?? (await worldOf(thing, actor))
  unchanged.set(name, world)
  return [name, world]
}

async function worldOf(thing: Thing, actor: Actor) {
  const isBlocked = actor === 'blocked'
  const isMature = actor === 'bounded'
  const isReported = actor === 'reporter'
  const isPublic = isBlocked || isMature || isReported || actor === 'public'
  const world = await worldWith(thing, { isBlocked, isPublic, isMature, isReported })
  if (actor === 'erased' || actor === 'too late') await erase(world.ada)
  const [before] = await estatesOf([world.ada])
  return { ...world, before, visitors: new Map<string, Visitor>() }
}

/** Who asks, and what they have. */
interface Visitor {
  user: User
  own: string | undefined
  before: unknown
}

/** The user who asks as an actor, in a world that they have changed nothing in. */
async function visitorOf(
  world: World,
  actor: Actor,
  { isNamed, scopes }: { isNamed: boolean; scopes: string },
): Promise<Visitor> {
  const name = `${actor}, ${isNamed}`
  const known = world.visitors.get(name)
  if (known) return known
  const user = await whoIs(actor, world, scopes)
  const own = isNamed ? undefined : await ownThings(user)
  const [before] = await estatesOf([user])
  if (user === world.ada) world.before = before
  const visitor = { user, own, before }
  world.visitors.set(name, visitor)
  return visitor
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
  if (actor === 'reporter' && reporter) return reporter
  const stranger = await signUp('stranger')
  return actor === 'bounded' ? boundedTo(stranger, 'everyone') : stranger
}
