/**
 * A list of the service. Nothing is requested before it is read: item by item (`for await (const file of list)`), page by
 * page (`list.pages()`), or one page (`list.page()`).
 */
export class List<Page, Item> implements AsyncIterable<Item> {
  readonly #pages: () => AsyncGenerator<Page, void, undefined>
  readonly #itemsOf: (page: Page) => Item[]

  constructor(pages: () => AsyncGenerator<Page, void, undefined>, itemsOf: (page: Page) => Item[]) {
    this.#pages = pages
    this.#itemsOf = itemsOf
  }

  /** The page that the arguments of the list name: the first one, or the one at their `cursor` or `offset`. */
  async page(): Promise<Page> {
    for await (const page of this.#pages()) return page
    throw new Error('A list has at least one page.')
  }

  /** That page and all that follow. */
  pages(): AsyncGenerator<Page, void, undefined> {
    return this.#pages()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.#pages()) yield* this.#itemsOf(page)
  }
}

/** A list whose pages name the next one. */
export function listByCursor<Query extends object, Page extends { next_cursor: string | null }, Item>(
  query: Query,
  read: (query: Query) => Promise<Page>,
  itemsOf: (page: Page) => Item[],
): List<Page, Item> {
  return new List(async function* () {
    let page = await read(query)
    yield page
    while (page.next_cursor !== null) {
      page = await read({ ...query, cursor: page.next_cursor })
      yield page
    }
  }, itemsOf)
}

/** A list whose pages begin at an offset. An item that is added or deleted meanwhile moves those behind it. */
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
