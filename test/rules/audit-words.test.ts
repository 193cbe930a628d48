import { describe, expect, it } from 'vitest'
import { acts, outcomeOf, whatWasDone } from '../../console/src/operators/acts.ts'
import { allEndpoints } from '../support/description.ts'

/** The POST requests that only read: on behalf of a player they are an entry of reading. */
const READING = ['getDownloadUrls', 'getAssetUrls', 'getUpdates', 'getProfiles']

describe('an entry of the audit in the words of the console', () => {
  it('has words for each act that leaves one', async () => {
    const changing = (await allEndpoints()).filter(
      ({ method, operation }) =>
        method !== 'GET' &&
        !READING.includes(operation.operationId) &&
        operation.parameters?.some(({ name }) => name.toLowerCase() === 'audit-reason'),
    )
    expect(new Set(Object.keys(acts))).toEqual(
      new Set(changing.map(({ operation }) => operation.operationId)),
    )
    expect(changing.length).toBeGreaterThan(10)
  })

  it.each([
    ['blockAsset', 204, 'ada', 'blocked an asset of'],
    ['blockAsset', 404, null, 'tried to block an asset'],
    ['eraseUser', null, 'ada', 'tried to erase'],
    ['eraseUser', 202, 'ada', 'erased'],
    ['publishAnnouncement', 201, null, 'announced to all players'],
    ['somethingNew', 200, 'ada', 'sent somethingNew about'],
  ])('says of %s with %s about %s: %s', (action, status, user_id, words) => {
    expect(whatWasDone({ action, status, user_id })).toBe(words)
  })

  it('says of reading on behalf of a player that, whatever was read first', () => {
    const entry = { action: 'listTrash', status: 200, user_id: 'ada', scope: 'players:read' }
    expect(whatWasDone(entry)).toBe('looked at what is there for')
  })

  it('marks what nobody knows the outcome of', () => {
    expect([null, 503, 500, 404, 400, 204, 200].map((status) => outcomeOf({ status }))).toEqual([
      ...['unknown', 'unknown', 'unknown'],
      ...['refused', 'refused'],
      ...['done', 'done'],
    ])
  })
})
