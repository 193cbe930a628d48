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
  return client.files.upload({ name, ...(parent_id !== undefined && { parent_id }), ...text(value) })
}

export const scenarios: Record<string, (player: Recipient) => Promise<void>> = {
  async files(player) {
    const client = open(player)
    const folder = await client.files.createFolder({ name: 'mods' })
    const file = await put(client, 'a.txt', 'one', folder.id)
    await client.files.upload({ file_id: file.id, ...text('two') })
    await client.files.edit({ id: file.id, name: 'b.txt', parent_id: null })
    const inside = await put(client, 'кот 猫 é.txt', 'three', folder.id)
    const old = await client.files.createFolder({ name: 'old' })
    await client.files.delete({ id: old.id })
    await client.trash.restore({ id: old.id })
    await client.files.delete({ id: (await put(client, 'c.txt', 'four')).id })
    await client.shares.create({ id: inside.id, grantee_id: 'a friend', permission: 'view' })
  },

  async 'repeated creation'(player) {
    const client = open(player)
    const options = { idempotencyKey: `key-${crypto.randomUUID()}` }
    for (let sent = 0; sent < 2; sent++) await client.files.createFolder({ name: 'once' }, options)
  },

  async pages(player) {
    const client = open(player)
    for (let number = 1; number <= 7; number++) await client.files.createFolder({ name: `folder ${number}` })
    let names = ''
    for await (const { name } of client.files.list({ limit: 3 })) names += `${name};`
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
      client.files.createFolder({ name: 'renewed' }),
      client.files.createFolder({ name: 'renewed, too' }),
    ])
  },

  async refusals(player) {
    await refusal(open(player).files.get({ id: '0192f3c4-5d6e-7abc-8def-0123456789ab' }))
  },

  async cancellation({ token }) {
    const client = createClient({ baseUrl: 'http://localhost:1', token, retry: { minDelayMs: 300_000 } })
    const giveUp = new AbortController()
    const waiting = client.quota.get({ signal: giveUp.signal })
    giveUp.abort()
    await waiting.catch(() => {})
  },

  async assets(player) {
    const client = open(player)
    const world = await client.assets.create({
      name: 'Harbour',
      type: 'world',
      visibility: 'public',
      tags: ['calm', 'sea'],
      metadata: { players: 9_007_199_254_740_991, seed: 1.5 },
    })
    const { etag } = await client.assets.get({ id: world.id })
    await client.assets.edit({ id: world.id, description: 'A quay.\nBoats.' }, { ifMatch: etag })
    await refusal(client.assets.edit({ id: world.id, name: 'Lost' }, { ifMatch: etag }))
    await client.favorites.add({ id: world.id })
    for (const user_id of ['mallory', 'a / 100% ä']) await client.mutes.add({ user_id })
    await client.mutes.remove({ user_id: 'mallory' })
    const hidden = await client.assets.create({ name: 'Cave', type: 'prop' })
    await client.assets.delete({ id: hidden.id })
  },

  async saves(player) {
    const [phone, desk] = [open(player).saves, open(player).saves]
    const details = { label: 'The harbour ⚓', device: 'Ada’s phone', played_seconds: 60 }
    await phone.write({ slot: 'auto', bytes: bytes('1'), ...details })
    await desk.read({ slot: 'auto' })
    await desk.write({ slot: 'auto', bytes: bytes('2') })
    const conflict: unknown = await phone
      .write({ slot: 'auto', bytes: bytes('3'), keep: true })
      .catch((error: unknown) => error)
    if (!(conflict instanceof SaveConflict)) throw new Error('There was no conflict.')
    await conflict.resolve({ bytes: bytes('2 and 3'), label: 'Both' })
    await phone.restore({ slot: 'auto', revision: 1 })
    await phone.write({ slot: 'old', bytes: bytes('old') })
    await phone.delete({ slot: 'old' })
    await phone.restore({ slot: 'old' })
    await phone.write({ slot: 'gone', bytes: bytes('gone') })
    await phone.delete({ slot: 'gone' })
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
    await saves.write({ slot: 'auto', bytes: bytes('second') })
    await saves.write({ slot: 'other', bytes: bytes('third'), label: 'Without a network' })
    isCut = false
    await saves.flush()
    saves.close()
  },

  async inbox(player) {
    await put(open(player), 'inbox.txt', await useInbox(player))
  },
}
