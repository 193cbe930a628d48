import { vi } from 'vitest'
import { expectCatalogue, expectCatalogueDone } from '../../support/catalogue.ts'
import { everyDatabase, everywhere, isMoving, placeOf } from '../../support/databases.ts'
import { expectInPlace, expectNothingSuperfluous, expectSound } from '../../support/invariants.ts'
import { endMoves } from '../../support/moving.ts'
import { type Act, type Command, codeOf, Draw } from './act.ts'
import { endsAll } from './announcements.ts'
import { readsAsset } from './asset-versions.ts'
import { type BoundService, limits } from './bound-service.ts'
import { listsBranches } from './branching.ts'
import { listsFavorites } from './favorites.ts'
import { readsFile } from './files.ts'
import { listing, listsFolder } from './looking.ts'
import {
  expectContent,
  expectCounted,
  expectMirrored,
  expectNoOtherContent,
  expectNothingLeft,
} from './mirror.ts'
import { looksAtModeration } from './moderation.ts'
import { listsNotifications } from './notifications.ts'
import { erases, listAuditEntries } from './operators.ts'
import { readsProfiles } from './profiles.ts'
import { browses } from './public-assets.ts'
import { readsQuota } from './quota.ts'
import { listsSharedWith } from './shares.ts'
import { listens } from './sockets.ts'
import { emptyWorld, type World } from './state.ts'
import { passes, retire, runsJob } from './time.ts'
import { discardsEvents, parksEvent } from './undelivered.ts'
import { readsUpload } from './uploads.ts'

/** When stories begin. */
const BEGINNING = Date.UTC(2031, 0)

const DAY = 86_400

/** Of so many steps one is done on behalf of its player. */
const ON_BEHALF = 6

/** After so many steps all rows of all databases, and the whole catalogue, are looked at. */
const WHOLE_EVERY = 25

/** Three that are one to whoever folds case or composes: ids are compared code point by code point. */
const playersOf = (name: string) => ['é', 'e\u0301', 'É'].map((player) => `${player}-${name}`)

/** A name with which the players are laid out in different databases, one after another, the first one in this place. */
function apart(first: number): string {
  const places = everyDatabase.length
  for (;;) {
    const name = crypto.randomUUID().slice(0, 8)
    if (playersOf(name).every((player, index) => placeOf(player) === (first + index) % places)) return name
  }
}

/**
 * A world in which nothing has happened yet, with players that nobody has heard of. `first` is the place of the first
 * player's database among all.
 */
export function newWorld(first = 0): World {
  const name = apart(first)
  const operator = `operator-${name}`
  return emptyWorld({ now_ms: BEGINNING, limits, players: playersOf(name), operator })
}

/**
 * Does something to the service, and compares its answer with the story. The clock stands still meanwhile. Tells the
 * code that it was refused with, or the status.
 */
export async function act(
  world: World,
  service: BoundService,
  { send, judge, tookEffect }: Act,
): Promise<string> {
  vi.setSystemTime(world.now_ms)
  let answer = await send(service)
  if (answer.status === 503 && (await isMoving())) {
    const effect = await tookEffect?.(world)
    if (effect) judge(world, effect)
    // What a client does after Retry-After.
    await endMoves()
    answer = await send(service)
  }
  judge(world, answer)
  await keepTime(world, service)
  return codeOf(answer) ?? String(answer.status)
}

/** Sets the clock to the story's time, and lets inboxes do what is due. */
export async function keepTime(world: World, service: BoundService): Promise<void> {
  vi.setSystemTime(world.now_ms)
  for (const player of world.players) {
    const had = world.inboxes.get(player)?.notices.length
    retire(world, player)
    if (had !== world.inboxes.get(player)?.notices.length) await service.ring(player)
  }
}

/**
 * One step of a story: some time, and an act, after which everything agrees. Tells what the act came to; undefined when
 * there was nothing to do.
 */
export async function step(
  world: World,
  service: BoundService,
  command: Command,
  numbers: number[],
): Promise<string | undefined> {
  const draw = new Draw(numbers)
  world.now_ms += 1 + draw.below(3) * 700
  const drawn = command.draw(world, draw)
  if (!drawn) return undefined
  // The last number, which no command needs: an act is drawn alike, whoever does it.
  const isOnBehalf = (numbers.at(-1) ?? 0) % ON_BEHALF === 0
  try {
    service.actor = isOnBehalf ? world.operator : undefined
    const came = await act(world, service, drawn)
    service.actor = undefined
    await expectMirrored(world)
    const isTurn = world.now_ms % WHOLE_EVERY === 0
    if (isTurn || ['a move', 'movePartitions', 'undoMove'].includes(command.operation))
      await expectRowsInPlace()
    if (isTurn) await expectCatalogue()
    if (drawn.key !== undefined) world.keyed.push(drawn)
    return came
  } catch (error) {
    throw new Error(drawn.says, { cause: error })
  }
}

/** What must hold of several databases, unless a partition is being moved. */
async function expectRowsInPlace(): Promise<void> {
  if (!(await isMoving())) await expectInPlace()
}

/** Everybody looks at everything that they might see. */
async function everybodyLooks(world: World, service: BoundService): Promise<void> {
  for (const looks of looking(world)) await act(world, service, looks)
}

/** Each list, by everybody; each item and asset, by its owner or by somebody else. */
function looking(world: World): Act[] {
  const other = (user: string) => world.players.find((player) => player !== user) ?? user
  const [items, assets] = [[...world.items.values()], [...world.assets.values()]]
  return [
    ...world.players.flatMap((player) => [
      ...listing(world, player),
      listsSharedWith(player, 100),
      listens(player, world.inboxes.get(player)?.base.seq ?? 0),
      readsQuota(player),
      readsProfiles(player, world.players),
      listsFavorites(player, 100),
    ]),
    ...items.flatMap(({ id, owner_id, asset_type }) => [
      readsFile(other(owner_id), id),
      ...(asset_type === 'folder' ? [listsFolder(other(owner_id), id)] : []),
    ]),
    ...[...world.uploads.values()].map(({ id, owner_id }) => readsUpload(owner_id, id)),
    ...assets.map(({ id, owner_id }) => readsAsset(other(owner_id), id)),
    ...assets.map(({ id, owner_id }) => listsBranches(owner_id, id, 100)),
    ...(['published', 'updated', 'popular'] as const).map((sort) =>
      browses(world.operator, { sort, limit: 100 }),
    ),
    ...looksAtModeration(world),
  ]
}

/** The time after which the job has looked again for the shares and branches behind hints. */
function hintsAge(): Act[] {
  return [1, 2, 3].flatMap(() => [passes(31 * DAY), runsJob()])
}

/** A story's end: everybody looks once more; after a long time nothing is there but what is known; then nobody is. */
export async function ends(world: World, service: BoundService): Promise<void> {
  await everybodyLooks(world, service)
  for (const ending of endsAll(world)) await act(world, service, ending)
  const audited = listAuditEntries.draw(world, new Draw([]))
  if (audited) await act(world, service, audited)
  for (const player of world.players) await act(world, service, listsNotifications(player, 100, 0))
  await endMoves()
  await expectMirrored(world)
  await expectContent(world)
  for (const rest of [passes(limits.UPLOAD_TTL + 2 * DAY), runsJob(), runsJob(), ...hintsAge()])
    await act(world, service, rest)
  await expectMirrored(world)
  await expectNothingSuperfluous()
  await expectCatalogueDone()
  await expectCounted(world)
  await expectSound(...world.players)
  await expectNoOtherContent(world)
  for (const player of world.players) await act(world, service, erases(world.operator, player))
  for (const event of [...world.events.values()])
    if (event.parked_at === null) await act(world, service, parksEvent(event))
  await act(world, service, discardsEvents(world, 'all'))
  for (const rest of [passes(10 * DAY), runsJob(), ...hintsAge(), passes(DAY), runsJob()])
    await act(world, service, rest)
  await expectNothingLeft()
  // The next story begins at an earlier time, when this walk would not be due, and announcements that have expired would not have.
  await everywhere('DELETE FROM announcements')
  await everywhere(`DELETE FROM progress WHERE task = 'marker_walk'`)
}
