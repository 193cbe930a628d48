/** What each scenario does with the TypeScript client. test/csharp/programs does the same with the C# client. */
import { type Client, createClient, SaveConflict } from '#client'
import { refusal } from '../e2e/client.ts'
import { type Recipient, useInbox } from './inbox-scenario.ts'

/** A scenario's user: a token of theirs, one that has expired, and where the service is. */
export interface Player {
  url: string
  token: string
  expired: string
}

const bytes = (value: string) => new Uint8Array(new TextEncoder().encode(value))
const text = (value: string) => ({ content: bytes(value), mime_type: 'text/plain' })
const open = ({ url, token }: Player): Client => createClient({ baseUrl: url, token })

async function put(client: Client, name: string, value: string, parent_id?: string) {
  return client.createContent(parent_id === undefined ? { name } : { name, parent_id }, text(value))
}

export const scenarios: Record<string, (player: Recipient) => Promise<void>> = {
  async files(player) {
    const client = open(player)
    const folder = await client.createFolder({ name: 'mods', asset_type: 'folder' })
    const file = await put(client, 'a.txt', 'one', folder.id)
    await client.replaceContent({ id: file.id }, text('two'))
    await client.editFile({ id: file.id, name: 'b.txt', parent_id: null })
    const inside = await put(client, 'кот 猫 é.txt', 'three', folder.id)
    const old = await client.createFolder({ name: 'old', asset_type: 'folder' })
    await client.deleteFile({ id: old.id })
    await client.restoreFile({ id: old.id })
    await client.deleteFile({ id: (await put(client, 'c.txt', 'four')).id })
    await client.createShare({ id: inside.id, grantee_id: 'a friend', permission: 'view' })
  },

  async 'repeated creation'(player) {
    const client = open(player)
    const options = { idempotencyKey: `key-${crypto.randomUUID()}` }
    for (let sent = 0; sent < 2; sent++)
      await client.createFolder({ name: 'once', asset_type: 'folder' }, options)
  },

  async pages(player) {
    const client = open(player)
    for (let number = 1; number <= 7; number++)
      await client.createFolder({ name: `folder ${number}`, asset_type: 'folder' })
    let names = ''
    for await (const { name } of client.listFiles({ limit: 3 })) names += `${name};`
    await put(client, 'names.txt', names)
  },

  async 'expired token'({ url, token, expired }) {
    let renewals = 0
    const provider = ({ renew }: { renew: boolean }) => {
      if (renew) renewals += 1
      return renewals === 0 ? expired : token
    }
    const client = createClient({ baseUrl: url, token: provider })
    await Promise.all([
      client.createFolder({ name: 'renewed', asset_type: 'folder' }),
      client.createFolder({ name: 'renewed, too', asset_type: 'folder' }),
    ])
  },

  async refusals(player) {
    await refusal(open(player).getFile({ id: '0192f3c4-5d6e-7abc-8def-0123456789ab' }))
  },

  async cancellation({ token }) {
    const client = createClient({ baseUrl: 'http://localhost:1', token, retry: { minDelayMs: 300_000 } })
    const giveUp = new AbortController()
    const waiting = client.getQuota({ signal: giveUp.signal })
    giveUp.abort()
    await waiting.catch(() => {})
  },

  async assets(player) {
    const client = open(player)
    const world = await client.createAsset({
      name: 'Harbour',
      type: 'world',
      visibility: 'public',
      tags: ['calm', 'sea'],
      metadata: { players: 9_007_199_254_740_991, seed: 1.5 },
    })
    const { etag } = await client.getAsset({ id: world.id })
    await client.editAsset({ id: world.id, description: 'A quay.\nBoats.' }, { ifMatch: etag })
    await refusal(client.editAsset({ id: world.id, name: 'Lost' }, { ifMatch: etag }))
    await client.setFavorite({ id: world.id })
    const hidden = await client.createAsset({ name: 'Cave', type: 'prop' })
    await client.deleteAsset({ id: hidden.id })
  },

  async saves(player) {
    const [phone, desk] = [open(player).saves, open(player).saves]
    const details = { label: 'The harbour ⚓', device: 'Ada’s phone', playedSeconds: 60 }
    await phone.write('auto', bytes('1'), details)
    await desk.read('auto')
    await desk.write('auto', bytes('2'))
    const conflict: unknown = await phone
      .write('auto', bytes('3'), { keep: true })
      .catch((error: unknown) => error)
    if (!(conflict instanceof SaveConflict)) throw new Error('There was no conflict.')
    await conflict.resolve(bytes('2 and 3'), { label: 'Both' })
    await phone.restore('auto', { revision: 1 })
    await phone.write('old', bytes('old'))
    await phone.delete('old')
    await phone.restore('old')
    await phone.write('gone', bytes('gone'))
    await phone.delete('gone')
  },

  async offline({ url, token }) {
    let isCut = true
    const client = createClient({
      baseUrl: url,
      token,
      retry: { attempts: 1 },
      fetch: (request) => (isCut ? Promise.reject(new Error('The network is cut.')) : fetch(request)),
    })
    const saves = client.saves.offline(new Map())
    await saves.write('auto', bytes('second'))
    await saves.write('other', bytes('third'), { label: 'Without a network' })
    isCut = false
    await saves.flush()
    saves.close()
  },

  async inbox(player) {
    await put(open(player), 'inbox.txt', await useInbox(player))
  },
}
