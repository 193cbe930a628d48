import { z } from '@hono/zod-openapi'
import type { Ledger } from './ledger.ts'
import { Assets, Inbox, Items, Share, Versions } from './records.ts'
import type { View } from './view.ts'
import { codeOf, type Wire } from './wire.ts'

const State = z.object({ state: z.string() })

/**
 * Everything that the service shows a user, found by going through the lists: not by asking for what is expected. Only
 * shares and uploads, which no list of their owner's shows, are asked for: those that are known, and shares of what the
 * last request has been `about`. Any other share would show with its grantee.
 */
export async function observed(
  wire: Wire,
  { uploads, ended, shares }: Pick<Ledger, 'uploads' | 'ended' | 'shares'>,
  about: string[] = [],
): Promise<View> {
  const view: View = new Map()
  const sharing = new Set([...about, ...[...shares.values()].map(({ file_id }) => file_id)])
  await Promise.all([
    folder(wire, view, null, sharing),
    trash(wire, view),
    assets(wire, view),
    inbox(wire, view),
    ...[...uploads.keys(), ...ended.keys()].map(async (id) => {
      const answer = await wire.read(`/uploads/${id}`)
      const state = answer.status === 200 ? State.parse(answer.body).state : codeOf(answer)
      // One that has expired is there until the job has run.
      if (state !== 'UPLOAD_NOT_FOUND') view.set(`upload ${id}`, state === 'UPLOAD_EXPIRED' ? 'open' : state)
    }),
  ])
  return view
}

async function folder(wire: Wire, view: View, id: string | null, sharing: Set<string>): Promise<void> {
  const { files } = await wire.see(Items, `/files?limit=500${id === null ? '' : `&parent_id=${id}`}`)
  await Promise.all(
    files.map(async ({ shortcode: _, ...file }) => {
      view.set(`file ${file.id}`, file)
      if (file.asset_type === 'folder') await folder(wire, view, file.id, sharing)
      if (file.processing_state === 'ready' && sharing.has(file.id))
        for (const share of await wire.see(z.array(Share), `/files/${file.id}/shares`))
          view.set(`share ${share.id}`, share)
    }),
  )
}

async function trash(wire: Wire, view: View): Promise<void> {
  const { files } = await wire.see(Items, '/trash?limit=500')
  for (const { shortcode: _, ...file } of files) view.set(`in the trash ${file.id}`, file)
}

async function assets(wire: Wire, view: View): Promise<void> {
  const [live, deleted] = await Promise.all([
    wire.see(Assets, '/game/assets?limit=100'),
    wire.see(Assets, '/game/assets?limit=100&deleted=true'),
  ])
  for (const asset of deleted.assets) view.set(`deleted asset ${asset.id}`, asset)
  await Promise.all(
    live.assets.map(async (asset) => {
      view.set(`asset ${asset.id}`, asset)
      const { versions } = await wire.see(Versions, `/game/assets/${asset.id}/versions?limit=100`)
      for (const version of versions) view.set(`version ${version.version} of ${asset.id}`, version)
    }),
  )
}

async function inbox(wire: Wire, view: View): Promise<void> {
  const { notifications, total, unread } = await wire.see(Inbox, '/notifications?limit=100')
  if (notifications.length !== total)
    throw new Error(`${total} notifications, ${notifications.length} listed`)
  for (const [index, notification] of notifications.entries())
    view.set(`notification ${total - index}`, notification)
  view.set('unread', unread)
}
