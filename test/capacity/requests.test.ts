import { expect, it } from 'vitest'
import { pricesOfRequests } from './requests.ts'

/** `npm run capacity` computes with these figures, and `npm run measure` writes them anew. */
it('each request costs the trips, rows and calls that scripts/capacity/requests.json says', async () => {
  const prices = `${JSON.stringify(await pricesOfRequests(), null, 2)}\n`
  await expect(prices).toMatchFileSnapshot('../../scripts/capacity/requests.json')
})
