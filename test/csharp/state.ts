/** What the service has of a user, without ids and times, so that the states of two users can be compared. */
import type { Client } from '#client'

export async function stateOf(client: Client): Promise<object> {
  const saves = await client.saves.list()
  return {
    files: await filesOf(client),
    trash: (await all(client.trash.list())).map(({ name }) => name),
    quota: await client.quota.get(),
    saves: await Promise.all(saves.saves.map(({ slot }) => saveOf(client, slot))),
    deleted_saves: (await client.saves.list({ deleted: true })).saves.map(({ slot }) => slot).toSorted(),
    saved_bytes: saves.used_bytes,
    assets: await Promise.all(
      (await all(client.assets.list())).map(async ({ id }) => {
        const { name, type, description, tags, metadata, visibility, listed } = await client.assets.get({
          id,
        })
        const versions = (await all(client.assets.listVersions({ id }))).map(
          ({ version, size_bytes, notes, checksum_sha256 }) => ({
            version,
            size_bytes,
            notes,
            checksum_sha256,
          }),
        )
        return { name, type, description, tags, metadata, visibility, listed, versions }
      }),
    ),
    deleted_assets: (await all(client.assets.list({ deleted: true }))).map(({ name }) => name),
    favorites: (await all(client.favorites.list())).map(({ name }) => name),
    mutes: (await all(client.mutes.list())).map(({ user_id }) => user_id),
  }
}

/** The inbox of a user, without ids and times. Announcements to all users are in it, too. */
export async function inboxOf(client: Client): Promise<object> {
  const { notifications, ...counts } = await client.inbox.list().page()
  return { notifications: notifications.map(({ type, data, state }) => ({ type, data, state })), ...counts }
}

async function filesOf(client: Client, parent_id?: string): Promise<object[]> {
  const listed = await all(client.files.list(parent_id === undefined ? {} : { parent_id }))
  return Promise.all(
    listed.map(async ({ id, name, asset_type, size_bytes, mime_type }) => ({
      name,
      asset_type,
      size_bytes,
      mime_type,
      ...(asset_type === 'folder'
        ? { items: await filesOf(client, id) }
        : {
            content: await contentOf(client, id),
            shares: (await client.shares.listOfFile({ id })).map(({ grantee_id, permission }) => ({
              grantee_id,
              permission,
            })),
          }),
    })),
  )
}

/** The content of a file: its SHA-256, because much of it makes a long difference. */
async function contentOf(client: Client, file_id: string): Promise<string> {
  const bytes = await (await client.files.download({ id: file_id })).arrayBuffer()
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

async function saveOf(client: Client, slot: string): Promise<object> {
  const { revisions } = await client.saves.listRevisions({ slot })
  return {
    slot,
    revisions: await Promise.all(
      revisions.map(async ({ revision, device, label, played_seconds, is_kept }) => {
        const { bytes } = await client.saves.read({ slot, revision })
        return { revision, device, label, played_seconds, is_kept, text: new TextDecoder().decode(bytes) }
      }),
    ),
  }
}

async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}
