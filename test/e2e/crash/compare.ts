import { type Act, member, type Requests } from '../../proofs/model/act.ts'
import { readsAsset, readsVersion } from '../../proofs/model/asset-versions.ts'
import { nothing } from '../../proofs/model/counting.ts'
import { asksForUrl } from '../../proofs/model/files.ts'
import { shownNotice } from '../../proofs/model/inbox.ts'
import { listing } from '../../proofs/model/looking.ts'
import { browses } from '../../proofs/model/public-assets.ts'
import { readsQuota } from '../../proofs/model/quota.ts'
import { asksForSharedUrl, listsSharedWith } from '../../proofs/model/shares.ts'
import { inboxOf } from '../../proofs/model/state.ts'
import { ownLive } from '../../proofs/model/tree.ts'
import type { Actor } from './actor.ts'
import { requireSeen } from './explain.ts'
import type { Figures } from './figures.ts'
import { liveAssets, readyFiles } from './fitting.ts'
import type { Grave, Run } from './run.ts'

/** As many of the latest deletions are looked at again as this, for each actor. */
const LATEST = 4

/** Of contents that have been compared before, one in so many is compared again. */
const RARELY = 4

/**
 * Compares everything with what the actors were promised, when no request is under way. Contents are downloaded that have
 * not been since they came, and some of the others; with `all`, all.
 */
export async function compare(run: Run, figures: Figures, all = false): Promise<void> {
  await Promise.all([
    ...run.actors.map((actor) =>
      run.blaming(actor, 'compared with the model', async () => {
        await requireCounted(actor)
        await requireHeard(actor)
        await actor.requireSeen([listsSharedWith(actor.user, 100)], run.modelOfAll(actor))
        await requireCatalogue(actor)
        await actor.requireSeen(actor.gone.slice(-LATEST))
        await requireContents(actor, figures, all)
      }),
    ),
    ...run.graves.slice(-3).map((grave) => run.blaming(grave, 'has been erased', () => requireErased(grave))),
  ])
  figures.checks += run.actors.length
}

/** The quota is what the model says; what was deleted for good may be counted until the job has run. */
async function requireCounted(actor: Actor): Promise<void> {
  const { model, user, owed } = actor
  const bytes = owed.reduce((sum, { bytes }) => sum + bytes, 0)
  const releasing = new Map([[user, { ...nothing, bytes }]])
  await actor.requireSeen([readsQuota(user)], { ...model, releasing })
}

/** The device that followed the inbox has missed nothing, and shows what is in it. */
async function requireHeard({ listener, model, user }: Actor): Promise<void> {
  const { seq, notices } = inboxOf(model, user)
  await listener.heard(seq)
  listener.compare(notices.toReversed().map(shownNotice))
}

/** The catalogue shows what all actors show, each as it is. */
async function requireCatalogue(actor: Actor): Promise<void> {
  const sort = actor.pick(['published' as const, 'updated' as const, 'popular' as const])
  await actor.requireSeen([browses(actor.user, { sort, limit: 100 })], actor.run.modelOfAll(actor))
}

/** An act that is answered with a URL, the member of the answer that has it, and the content that it leads to. */
interface Way {
  act: Act<Requests>
  member: 'url' | 'preview_url'
  content: string | null
}

/** Content comes back byte for byte: of files, versions and previews of one's own, and of what others share. */
async function requireContents(actor: Actor, figures: Figures, all: boolean): Promise<void> {
  const { run, compared } = actor
  const model = run.modelOfAll(actor)
  for (const { act, member: name, content } of waysToContents(actor)) {
    if (content === null) throw new Error(`the model has no content where ${act.says}`)
    if (!all && compared.get(act.says) === content && actor.below(RARELY) > 0) continue
    const seen = await actor.look([act])
    requireSeen(model, seen)
    const response = await fetch(String(seen[0] && member(seen[0].answer, name)))
    const bytes = Buffer.from(await response.arrayBuffer())
    // Two models may have a preview of each by the same key.
    const sent = actor.model.objects.get(content) ?? model.objects.get(content)
    if (response.status !== 200 || bytes.toString('latin1') !== sent)
      throw new Error(`${act.says}: ${response.status}, ${bytes.length} bytes that were not sent`)
    compared.set(act.says, content)
    figures.contents++
  }
}

function waysToContents(actor: Actor): Way[] {
  const { user, run } = actor
  const assets = liveAssets(actor)
  return [
    ...readyFiles(actor).map(
      ({ id, content }): Way => ({ act: asksForUrl(user, id), member: 'url', content }),
    ),
    ...assets.flatMap(({ id, versions }) =>
      versions.map(({ version, content }): Way => {
        return { act: readsVersion(user, id, version, true), member: 'url', content }
      }),
    ),
    ...assets
      .filter(({ preview }) => preview !== null)
      .map(({ id, preview }): Way => {
        return { act: readsAsset(user, id), member: 'preview_url', content: preview }
      }),
    ...run.actors.flatMap((other) =>
      [...other.model.shares.values()].flatMap(({ id, grantee_id, file_id }): Way[] => {
        const file = grantee_id === user ? ownLive(other.model, other.user, file_id) : undefined
        return file ? [{ act: asksForSharedUrl(user, id), member: 'url', content: file.content }] : []
      }),
    ),
  ]
}

/** Of an erased user nothing can be read, and the seq of their inbox has gone on. */
async function requireErased({ actor, user, model }: Grave): Promise<void> {
  await actor.requireSeen(listing(model, user), model)
}
