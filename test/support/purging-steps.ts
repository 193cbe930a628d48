import { markDeletedAssets, purgeAssetsStep } from '../../src/features/assets/delete.ts'
import { BATCH_SIZE } from '../../src/platform/context.ts'
import { contextOf, databasesOver } from './context.ts'
import { databaseNames, overEvery, placeOf } from './databases.ts'
import { type Cost, meteredDatabase } from './meter.ts'

/** How many rows of a kind a step of the job may change. */
export const STEP = BATCH_SIZE

/** The steps of the job that purge a user's assets, to be called one by one, and the rows of each trip to the database. */
export class PurgingSteps {
  readonly costs: Pick<Cost, 'rows_read' | 'rows_written'>[] = []
  readonly #user_id: string
  readonly #work

  constructor(user_id: string) {
    this.#user_id = user_id
    const databases = databasesOver(
      overEvery((database) =>
        meteredDatabase(database, (results) => {
          const sum = (column: 'rows_read' | 'rows_written') =>
            results.reduce((total, { meta }) => total + meta[column], 0)
          this.costs.push({ rows_read: sum('rows_read'), rows_written: sum('rows_written') })
        }),
      ),
    )
    this.#work = contextOf(user_id, { db: databases.whole(databaseNames[placeOf(user_id)] ?? '') })
  }

  /** Marks deleted assets whose retention has ended. Returns how many. */
  mark(): Promise<number> {
    return this.#work.db.write(markDeletedAssets(Date.now())).then(({ length }) => length)
  }

  /** Removes some rows of marked assets. Returns how many. */
  purge(): Promise<number> {
    return purgeAssetsStep(this.#work, { owner_id: this.#user_id })
  }

  most(column: 'rows_read' | 'rows_written'): number {
    return Math.max(...this.costs.map((cost) => cost[column]))
  }
}
