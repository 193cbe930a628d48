import { bodyOf } from './answers.ts'
import type { RequestOptions } from './options.ts'
import type { Transport } from './transport.ts'

/**
 * A list of the service. A page is requested when it is read: item by item (`for await (const file of list)`), page by page
 * (`list.pages()`), or one page (`list.page()`).
 *
 * @example
 * const { files, next_cursor } = await client.files.list({ limit: 20 }).page()
 */
export class List<Page, Item> implements AsyncIterable<Item> {
  readonly #pages: () => AsyncGenerator<Page, void, undefined>
  readonly #itemsOf: (page: Page) => Item[]

  constructor(pages: () => AsyncGenerator<Page, void, undefined>, itemsOf: (page: Page) => Item[]) {
    this.#pages = pages
    this.#itemsOf = itemsOf
  }

  /** The first page, or the page at the `cursor` or `offset` that the list was given. */
  async page(): Promise<Page> {
    for await (const page of this.#pages()) return page
    throw new Error('A list has at least one page.')
  }

  /** The page that `page()` returns, and all pages after it. */
  pages(): AsyncGenerator<Page, void, undefined> {
    return this.#pages()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.#pages()) yield* this.#itemsOf(page)
  }
}

/** A list whose pages carry the cursor of the next page, and their items as the member `name`. */
export function listByCursor<
  Page extends { next_cursor: string | null } & Record<Name, Item[]>,
  Item,
  Name extends string,
>(
  transport: Transport,
  path: string,
  name: Name,
  query?: object,
  options?: RequestOptions,
): List<Page, Item> {
  const read = (query: object | undefined) => bodyOf<Page>(transport.repeatable('GET', path, query, options))
  return new List(
    async function* () {
      let page = await read(query)
      yield page
      while (page.next_cursor !== null) {
        page = await read({ ...query, cursor: page.next_cursor })
        yield page
      }
    },
    (page) => page[name],
  )
}

/** A list that is paged by offset. An item that is added or deleted meanwhile shifts the items after it. */
export function listByOffset<Query extends { offset?: number }, Page extends { total: number }, Item>(
  query: Query,
  read: (query: Query) => Promise<Page>,
  itemsOf: (page: Page) => Item[],
): List<Page, Item> {
  return new List(async function* () {
    let offset = query.offset ?? 0
    for (;;) {
      const page = await read({ ...query, offset })
      yield page
      offset += itemsOf(page).length
      if (offset >= page.total || itemsOf(page).length === 0) return
    }
  }, itemsOf)
}
