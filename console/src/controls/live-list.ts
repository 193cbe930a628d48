/** A list for useSyncExternalStore. Each change makes a new array. */
export abstract class LiveList<Item extends { readonly id: string | number }> {
  #items: readonly Item[] = []
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly items = (): readonly Item[] => this.#items

  protected set(items: readonly Item[]): void {
    this.#items = items
    for (const listener of this.#listeners) listener()
  }

  protected change(id: Item['id'], change: Partial<Item>): void {
    this.set(this.#items.map((item) => (item.id === id ? { ...item, ...change } : item)))
  }

  protected remove(id: Item['id']): void {
    this.set(this.#items.filter((item) => item.id !== id))
  }
}
