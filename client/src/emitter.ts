/** Calls the listeners of an event. An error of a listener is rethrown in a task of its own, where runtimes report it. */
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

  /** Returns whether there was a listener. */
  emit<Name extends keyof Events>(name: Name, value: Events[Name]): boolean {
    const listeners = [...(this.#listeners[name] ?? [])]
    for (const listener of listeners)
      try {
        listener(value)
      } catch (error) {
        setTimeout(() => {
          throw error
        })
      }
    return listeners.length > 0
  }
}
