import { expect, it } from 'vitest'
import { linesOf } from '../support/costs/table.ts'
import { databaseNames } from '../support/databases.ts'
import { costsOfIndexes } from './indexes.ts'

/** `npm run capacity -- --indexes` prints these figures, and `npm run measure` writes them anew. */
it.runIf(databaseNames.length === 1)(
  'each index writes the rows that scripts/capacity/indexes.json says',
  async () => {
    await expect(`${linesOf(await costsOfIndexes())}\n`).toMatchFileSnapshot(
      '../../scripts/capacity/indexes.json',
    )
  },
)
