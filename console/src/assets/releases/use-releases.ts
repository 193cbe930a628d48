import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { showError, showNotice, showUndo } from '../../controls/notice.tsx'
import { isRefusal, useSession } from '../../session/session.tsx'
import { ASSETS, type Asset, type AssetWithPage } from '../asset.ts'
import { type Channel, LIVE } from './release.ts'

/** The channels of an own asset, `live` first, and what moves and deletes them. */
export function useReleases({ id, name }: Asset) {
  const { client, changed } = useSession()
  const cache = useQueryClient()
  const list = useQuery({
    queryKey: [ASSETS, 'channels', id],
    queryFn: ({ signal }) => client.assets.listChannels({ id }, { signal }),
  })
  const channels = [...(list.data?.channels ?? [])].sort(
    (one, other) => Number(other.channel === LIVE) - Number(one.channel === LIVE),
  )

  /** The asset's ETag as it is shown: the user decides by what they see. */
  const shownEtag = () => {
    const [[, shown] = []] = cache.getQueriesData<AssetWithPage>({
      queryKey: [ASSETS, 'one', id],
      type: 'active',
    })
    return shown && { ifMatch: shown.etag }
  }
  const acts = useMutation({
    // One after the other, because each changes the ETag that the next one sends.
    scope: { id: `releases of ${id}` },
    mutationFn: async (act: () => Promise<unknown>) => {
      try {
        await act()
      } catch (error) {
        if (!isRefusal(error, 'PRECONDITION_FAILED')) throw error
        throw new Error(`${name} was changed meanwhile. It is loaded again: look, and repeat what you did.`, {
          cause: error,
        })
      } finally {
        await changed('assets')
      }
    },
  })

  const set = (channel: string, version: number, ifMatch: { ifMatch: string } | undefined) =>
    client.assets.setChannel({ id, channel, version }, ifMatch)

  /** Takes a move back, unless the channel was moved since. */
  const takeBack = (channel: string, version: number, before: number | undefined) => async () => {
    const { etag } = await client.assets.get({ id })
    const now = await client.assets.listChannels({ id })
    if (now.channels.find((one) => one.channel === channel)?.version !== version)
      return showNotice(`${channel} was changed since, and stays as it is.`)
    if (before === undefined) await client.assets.deleteChannel({ id, channel }, { ifMatch: etag })
    else await set(channel, before, { ifMatch: etag })
    showNotice(before === undefined ? `${channel} is gone again.` : movedText(channel, before))
  }

  const move = async (channel: string, version: number) => {
    const before = channels.find((one) => one.channel === channel)?.version
    if (before === version) return
    await acts.mutateAsync(async () => {
      await set(channel, version, shownEtag())
      if (channel === LIVE && before !== undefined && before < version) rememberLive(id, before)
    })
    const undo = takeBack(channel, version, before)
    showUndo(movedText(channel, version), () => acts.mutateAsync(undo))
  }

  return {
    list,
    channels,
    live: channels.find(({ channel }) => channel === LIVE)?.version,
    /** Has a channel serve a version, and makes it if it is not there. @throws ServiceError, which a dialog shows */
    create: move,
    /** Has a channel serve a version. */
    move: (channel: string, version: number) => void move(channel, version).catch(showError),
    /** @throws ServiceError, which the dialog shows */
    remove: async ({ channel }: Channel) => {
      await acts.mutateAsync(() => client.assets.deleteChannel({ id, channel }, shownEtag()))
      showNotice(`${channel} is deleted.`)
    },
  }
}

export type Releases = ReturnType<typeof useReleases>

function movedText(channel: string, version: number): string {
  return channel === LIVE ? `Everybody gets version ${version} now.` : `${channel} is version ${version} now.`
}

const keyOf = (id: string) => `console live of ${id}`

/** Remembers what was live before a higher version, which may not be the one right below. */
function rememberLive(id: string, version: number): void {
  localStorage.setItem(keyOf(id), `${version}`)
}

/**
 * The version to go back to: what was live before, if this browser has changed that, and else the highest one below. Undefined when there is
 * none.
 */
export function versionBefore(
  id: string,
  live: number,
  versions: readonly { version: number }[],
): number | undefined {
  const below = versions.map(({ version }) => version).filter((version) => version < live)
  const before = Number(localStorage.getItem(keyOf(id)))
  return below.includes(before) ? before : below.length > 0 ? Math.max(...below) : undefined
}
