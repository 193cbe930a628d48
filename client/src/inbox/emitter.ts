/** Calls listeners by the name of an event. What a listener throws is reported as uncaught, and stops nothing here. */
export class Emitter<Events> {
  readonly #listeners: { [Name in keyof Events]?: Set<(value: Events[Name]) => void> } = {}

  /** Adds a listener. Returns a function that removes it. */
  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): () => void {
    const listeners = this.#listeners[name] ?? new Set()
    this.#listeners[name] = listeners
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const listener of [...(this.#listeners[name] ?? [])])
      try {
        listener(value)
      } catch (error) {
        setTimeout(() => {
          throw error
        })
      }
  }
}
