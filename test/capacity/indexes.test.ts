import { expect, it } from 'vitest'
import { databaseNames } from '../support/databases.ts'
import { costsOfIndexes } from './indexes.ts'

/** `npm run capacity -- --indexes` prints these figures, and `npm run measure` writes them anew. */
it.runIf(databaseNames.length === 1)(
  'each index writes the rows that scripts/capacity/indexes.json says',
  async () => {
    await expect(`${JSON.stringify(await costsOfIndexes(), null, 2)}\n`).toMatchFileSnapshot(
      '../../scripts/capacity/indexes.json',
    )
  },
)
