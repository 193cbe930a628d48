import { overridden } from '../../support/meter.ts'

/** The time of a proof, which runs ahead of the machine's: R2 says of each object when it was put by this clock. */
export class Clock {
  readonly #put = new Map<string, number>()
  #ahead_ms = 0

  get now_ms(): number {
    return Date.now() + this.#ahead_ms
  }

  /** How far ahead it is, in days. */
  get days(): number {
    return this.#ahead_ms / 86_400_000
  }

  goOn(minutes: number): void {
    this.#ahead_ms += minutes * 60_000
  }

  /** The bucket, by this clock. */
  stamped(bucket: R2Bucket): R2Bucket {
    return overridden(bucket, {
      put: (key: string, content: string) => {
        this.#put.set(key, this.now_ms)
        return bucket.put(key, content)
      },
      list: async (options: R2ListOptions) => {
        const { objects, truncated } = await bucket.list(options)
        const stamped = objects.map(({ key, uploaded }) => {
          const put = this.#put.get(key)
          return { key, uploaded: put === undefined ? uploaded : new Date(put) }
        })
        return { objects: stamped, truncated }
      },
    })
  }
}
