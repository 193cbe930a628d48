import { List } from './list.ts'
import { type CatalogueOperations, catalogueOf, type MutesOperations, mutesOf } from './operations.ts'
import type { GameAssetPage, GameAssetSummary } from './records.ts'
import type { Transport } from './transport.ts'

/** The most mutes of a page. */
const PAGE = 100

/** Whom the user has muted, and the catalogue without their assets. */
export function withoutMuted(transport: Transport): {
  mutes: MutesOperations
  catalogue: CatalogueOperations
} {
  const [mutes, catalogue] = [mutesOf(transport), catalogueOf(transport)]
  const muted = new MutedUsers(mutes)
  return {
    mutes: {
      ...mutes,
      async add(given, options) {
        await mutes.add(given, options)
        muted.set(given.user_id, true)
      },
      async remove(given, options) {
        await mutes.remove(given, options)
        muted.set(given.user_id, false)
      },
    },
    catalogue: {
      ...catalogue,
      list: (given, options) => muted.leaveOut(() => catalogue.list(given, options).pages()),
    },
  }
}

/** The users whom the user has muted: as the service had them when they were first needed, with the client's own changes. */
class MutedUsers {
  readonly #mutes: MutesOperations
  /** Undefined until the first use, and after a failure. */
  #read: Promise<Set<string>> | undefined
  /** What the client itself has changed, which may have been before or after the reading. */
  readonly #changed = new Map<string, boolean>()

  constructor(mutes: MutesOperations) {
    this.#mutes = mutes
  }

  set(user_id: string, isMuted: boolean): void {
    this.#changed.set(user_id, isMuted)
  }

  /** The pages of the catalogue without the assets of muted users. The mutes are read beside the first page. */
  leaveOut(pages: () => AsyncIterable<GameAssetPage>): List<GameAssetPage, GameAssetSummary> {
    const muted = this
    return new List(
      async function* () {
        const reading = muted.#reading()
        reading.catch(() => {}) // The failure of the page comes first.
        for await (const page of pages()) {
          const read = await reading
          const isMuted = (id: string) => muted.#changed.get(id) ?? read.has(id)
          yield { ...page, assets: page.assets.filter(({ owner_id }) => !isMuted(owner_id)) }
        }
      },
      (page) => page.assets,
    )
  }

  #reading(): Promise<Set<string>> {
    this.#read ??= this.#readAll().catch((error: unknown) => {
      this.#read = undefined
      throw error
    })
    return this.#read
  }

  async #readAll(): Promise<Set<string>> {
    const read = new Set<string>()
    for await (const { user_id } of this.#mutes.list({ limit: PAGE })) read.add(user_id)
    return read
  }
}
