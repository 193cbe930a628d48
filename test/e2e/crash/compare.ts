import type { Actor } from './actor.ts'
import { bytesOf, type Content } from './content.ts'
import type { Figures } from './figures.ts'
import { Ledger } from './ledger.ts'
import { observed } from './observe.ts'
import { Inbox, SharedWithMe, SignedUrl } from './records.ts'
import { requireCounted, requireSame } from './recover.ts'
import type { View } from './view.ts'
import type { Grave, World } from './world.ts'

/** As many of the latest deletions are looked at again as this, for each actor. */
const LATEST = 4

/** Of contents that have been compared before, one in so many is compared again. */
const RARELY = 4

/**
 * Compares the whole world with what its actors were promised, when no request is under way. Contents are downloaded
 * that have not been since they came, and some of the others; with `all`, all.
 */
export async function compare(world: World, figures: Figures, all = false): Promise<void> {
  await Promise.all([
    ...world.actors.map((actor) =>
      world.blaming(actor, 'compared with the journal', async () => {
        await requireCounted(actor)
        await requireHeard(actor)
        await requireShared(actor)
        await requireGone(actor)
        await requireContents(actor, figures, all)
      }),
    ),
    ...world.graves
      .slice(-3)
      .map((grave) => world.blaming(grave, 'has been erased', () => requireErased(grave))),
  ])
  figures.checks += world.actors.length
}

/** The device that followed the inbox has missed nothing, and shows what the list says. */
async function requireHeard({ wire, listener }: Actor): Promise<void> {
  const answer = await wire.read('/notifications?limit=100')
  await listener.heard(Number(answer.headers.get('X-Inbox-Seq')))
  listener.compare(Inbox.parse(answer.body).notifications)
}

/** What has been shared with an actor is what the others' journals say, in the trash or not. */
async function requireShared({ wire, world }: Actor): Promise<void> {
  const expected: View = new Map()
  for (const { ledger } of world.actors)
    for (const share of ledger.shares.values())
      if (share.grantee_id === wire.user)
        expected.set(share.id, { ...share, in_trash: !ledger.isLive(share.file_id) })
  const { shares } = await wire.see(SharedWithMe, '/shares?limit=100')
  const found: View = new Map(
    shares.map(({ file, ...share }) => [share.id, { ...share, in_trash: file.in_trash }]),
  )
  requireSame(expected, found, 'what is shared with them')
}

/** What was deleted for good leads nowhere. */
async function requireGone({ ledger, wire }: Actor): Promise<void> {
  for (const path of ledger.gone.slice(-LATEST)) {
    const { status } = await wire.read(path)
    if (status !== 404) throw new Error(`${path} was deleted for good, and answers ${status}`)
  }
}

/** Content comes back byte for byte: of files and versions of one's own, and of what others share. */
async function requireContents(actor: Actor, figures: Figures, all: boolean): Promise<void> {
  const { ledger, wire, world } = actor
  const places: [path: string, content: Content | undefined][] = [
    ...ledger
      .readyFiles()
      .map(({ record, content }): [string, Content | undefined] => [`/files/${record.id}/url`, content]),
    ...[...ledger.assets.values()]
      .filter(({ isDeleted }) => !isDeleted)
      .flatMap(({ record: { id }, versions }) =>
        versions.map(({ record, content }): [string, Content] => [
          `/game/assets/${id}/versions/${record.version}/url`,
          content,
        ]),
      ),
    ...world.actors.flatMap((other) =>
      [...other.ledger.shares.values()]
        .filter(({ grantee_id, file_id }) => grantee_id === wire.user && other.ledger.isLive(file_id))
        .map(({ id, file_id }): [string, Content | undefined] => [
          `/shares/${id}/url`,
          other.ledger.items.get(file_id)?.content,
        ]),
    ),
  ]
  for (const [path, content] of places) {
    if (!content) throw new Error(`the journal has no content for ${path}`)
    if (!all && ledger.compared.get(path) === content.seed && actor.below(RARELY) > 0) continue
    const { url } = await wire.see(SignedUrl, path)
    const response = await fetch(url)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200 || !bytes.equals(bytesOf(content)))
      throw new Error(`${path} answers ${response.status}, ${bytes.length} bytes that were not sent`)
    ledger.compared.set(path, content.seed)
    figures.contents++
  }
}

/** Of an erased user nothing can be read and the seq of their inbox has not gone back. */
async function requireErased({ wire, seq }: Grave): Promise<void> {
  const empty: View = new Map([['unread', 0]])
  requireSame(empty, await observed(wire, new Ledger()), 'nothing of an erased user can be read')
  const after = Number((await wire.read('/notifications')).headers.get('X-Inbox-Seq'))
  if (after < seq) throw new Error(`the seq went back from ${seq} to ${after}`)
}
