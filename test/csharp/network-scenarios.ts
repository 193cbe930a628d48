/**
 * What each scenario does with the TypeScript client while the network fails. test/csharp/programs/NetworkScenarios.cs does the
 * same with the C# client.
 */
import { type Client, createClient, NetworkError, SaveConflict, ServiceError } from '#client'
import type { Player } from './scenarios.ts'

/** A scenario's player, with how often it does what it does. Its `url` is that of a network that fails. */
export interface Traveller extends Player {
  rounds: number
  /** Notes how an act ended: `ok`, or the code of its error. */
  note(outcome: string): void
}

const retry = { attempts: 8, minDelayMs: 1, maxDelayMs: 20 }
const CONTENT_BYTES = 200_000

const bytes = (value: string) => new Uint8Array(new TextEncoder().encode(value))
const content = (value: string) => ({
  content: bytes(value.padEnd(CONTENT_BYTES, '.')),
  mime_type: 'text/plain',
})
const open = ({ url, token }: Player): Client => createClient({ baseUrl: url, token, retry })

/** Acts, and notes the outcome. Undefined when the act has failed. */
async function tried<T>({ note }: Traveller, act: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await act()
    note('ok')
    return result
  } catch (error) {
    note(codeOf(error))
    return undefined
  }
}

/** The C# client reads content whole and asks again after a cut, which this client leaves to who reads the stream. */
async function contentOf(client: Client, id: string): Promise<string> {
  for (;;) {
    const answer = await client.files.download({ id, size_bytes: 0 })
    const text = await answer.text().catch(() => undefined)
    if (text !== undefined) return text
  }
}

function codeOf(error: unknown): string {
  if (error instanceof ServiceError) return error.code
  if (error instanceof SaveConflict) return 'PRECONDITION_FAILED'
  if (error instanceof NetworkError) return 'NETWORK_ERROR'
  throw error
}

export const networkScenarios: Record<string, (traveller: Traveller) => Promise<void>> = {
  async 'files while the network fails'(traveller) {
    const client = open(traveller)
    for (let round = 1; round <= traveller.rounds; round++) {
      const folder = await tried(traveller, () => client.files.createFolder({ name: `mods ${round}` }))
      if (!folder) continue
      const file = await tried(traveller, () =>
        client.files.upload({ name: `a ${round}.txt`, parent_id: folder.id, ...content(`one ${round}`) }),
      )
      if (!file) continue
      const { id } = file
      await tried(traveller, () => client.files.upload({ file_id: id, ...content(`two ${round}`) }))
      await tried(traveller, () => client.files.edit({ id, name: `b ${round}.txt`, parent_id: null }))
      await tried(traveller, () => client.shares.create({ id, grantee_id: 'a friend', permission: 'view' }))
      await tried(traveller, () => client.files.delete({ id: folder.id }))
      if (round % 2 === 0) await tried(traveller, () => client.trash.restore({ id: folder.id }))
      await tried(traveller, () => contentOf(client, id))
    }
  },

  async 'pages while the network fails'(traveller) {
    const client = open(traveller)
    for (let number = 1; number <= 3 * traveller.rounds; number++)
      await tried(traveller, () => client.files.createFolder({ name: `folder ${number}` }))
    let names = ''
    await tried(traveller, async () => {
      for await (const { name } of client.files.list({ limit: 2 })) names += `${name};`
    })
    await tried(traveller, () => client.files.upload({ name: 'names.txt', ...content(names) }))
  },

  async 'assets while the network fails'(traveller) {
    const client = open(traveller)
    for (let round = 1; round <= traveller.rounds; round++) {
      const asset = await tried(traveller, () =>
        client.assets.create({
          name: `Harbour ${round}`,
          type: 'world',
          visibility: 'public',
          tags: ['sea'],
        }),
      )
      if (!asset) continue
      const { id } = asset
      await tried(traveller, () => client.assets.edit({ id, description: `Quay ${round}` }))
      const read = await tried(traveller, () => client.assets.get({ id }))
      await tried(traveller, () =>
        client.assets.edit({ id, name: `Port ${round}` }, { ifMatch: read?.etag ?? '"none"' }),
      )
      await tried(traveller, () => client.favorites.add({ id }))
      if (round % 2 === 0) await tried(traveller, () => client.favorites.remove({ id }))
      if (round % 3 === 0) await tried(traveller, () => client.assets.delete({ id }))
    }
  },

  async 'saves while the network fails'(traveller) {
    const [phone, desk] = [open(traveller).saves, open(traveller).saves]
    for (let round = 1; round <= traveller.rounds; round++) {
      await tried(traveller, () => phone.read({ slot: 'auto' }))
      await tried(traveller, () =>
        phone.write({ slot: 'auto', bytes: bytes(`phone ${round}`), label: `Quay ${round}` }),
      )
      await tried(traveller, () => desk.read({ slot: 'auto' }))
      await tried(traveller, () => desk.write({ slot: 'auto', bytes: bytes(`desk ${round}`) }))
      await phone.write({ slot: 'auto', bytes: bytes(`late ${round}`), keep: round % 2 === 0 }).then(
        () => traveller.note('no conflict'),
        async (error: unknown) => {
          traveller.note(codeOf(error))
          if (error instanceof SaveConflict)
            await tried(traveller, () => error.resolve({ bytes: bytes(`both ${round}`), label: 'Both' }))
        },
      )
      await tried(traveller, () =>
        desk.write({ slot: 'old', bytes: bytes(`old ${round}`) }, { overwrite: true }),
      )
      await tried(traveller, () => desk.delete({ slot: 'old' }))
      if (round % 2 === 0) await tried(traveller, () => desk.restore({ slot: 'old' }))
    }
  },

  /**
   * Tokens expire meanwhile. The other token of the traveller is the address of a login, which issues valid tokens, and at
   * /expired those that have expired already, so that no round depends on the speed of the machine.
   */
  async 'tokens that expire'(traveller) {
    const issued = async (path: string) => (await fetch(`${traveller.expired}${path}`)).text()
    let token = ''
    const provider = async ({ renew }: { renew: boolean }) => {
      if (renew) {
        traveller.note('renewed')
        token = await issued('/valid')
      }
      return token
    }
    const client = createClient({ baseUrl: traveller.url, token: provider, retry })
    for (let round = 1; round <= traveller.rounds; round++) {
      token = await issued('/expired')
      await tried(traveller, () => client.files.createFolder({ name: `After ${round}` }))
      await tried(traveller, () => client.quota.get())
    }
  },
}
