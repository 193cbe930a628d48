import { expect, it } from 'vitest'
import { databaseNames } from '../support/databases.ts'
import { pricesOfRequests } from '../support/prices.ts'

const folder = '../../scripts/capacity'
/** The default, which the other tests set to 0. */
const configuration = { CONTENT_GRACE_DAYS: '7' }

if (databaseNames.length === 1)
  /** `npm run capacity` computes with these figures, and `npm run measure` writes them anew. */
  it('each request costs the trips, rows and calls that scripts/capacity/requests.json says', async () => {
    const prices = await pricesOfRequests(configuration)
    await expect(`${JSON.stringify(prices, null, 2)}\n`).toMatchFileSnapshot(`${folder}/requests.json`)
  })
/** Rows are left out: those of a state are read or not, by where a partition is. */ else
  it('over three databases, each request makes the trips and calls that scripts/capacity/trips.json says', async () => {
    const prices = Object.entries(await pricesOfRequests(configuration))
    const trips = prices.map(([request, { trips, r2_class_a }]) => [request, { trips, r2_class_a }])
    await expect(`${JSON.stringify(Object.fromEntries(trips), null, 2)}\n`).toMatchFileSnapshot(
      `${folder}/trips.json`,
    )
  })
