import { expect, it } from 'vitest'
import { priceOfEvents } from './measured/events.ts'
import { bytesOfInbox } from './measured/inbox.ts'
import { priceOfJob } from './measured/job.ts'
import { bytesOfRows } from './measured/rows.ts'
import { bytesOfSaves } from './measured/saves.ts'

/** `npm run measure` writes these figures, and `npm run capacity` computes with them. */
it('a row takes the bytes, and the job costs the rows, that scripts/capacity/rows.json says', async () => {
  // The bytes first, while the database is empty.
  const bytes = { ...(await bytesOfRows()), ...(await bytesOfInbox()), ...(await bytesOfSaves()) }
  const measured = { bytes, removed_row: await priceOfJob() }
  await expect(`${JSON.stringify(measured, null, 2)}\n`).toMatchFileSnapshot('../scripts/capacity/rows.json')
})

it('an event costs the rows that scripts/capacity/events.json says', async () => {
  await expect(`${JSON.stringify(await priceOfEvents(), null, 2)}\n`).toMatchFileSnapshot(
    '../scripts/capacity/events.json',
  )
})
