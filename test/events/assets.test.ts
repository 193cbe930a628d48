import { beforeAll, describe, expect, it } from 'vitest'
import { GameAsset } from '../../src/assets/schema.ts'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { EventLog, serviceWithEvents } from '../support/events.ts'

const { service, sent } = serviceWithEvents()

let ada: Creator
let bob: Creator
let log: EventLog

beforeAll(async () => {
  ;[ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
  log = new EventLog(ada, bob)
})

const key = (text: string) => ({ 'Idempotency-Key': text })

describe('asset.created', () => {
  it('is written once for an asset, also when the request is repeated, and not when it is refused', async () => {
    const asset = { name: 'castle', type: 'world' }
    const created = await ada.createAsset(asset, key('castle'))
    const { id } = made(GameAsset, created, 201)
    const data = { asset_id: id, owner_id: ada.id, type: 'world', visibility: 'private' }
    expect(await log.next()).toEqual([['asset.created', { ...data, branched_from_asset_id: null }]])
    expect(sent).toHaveLength(1)

    expect(await ada.createAsset(asset, key('castle'))).toMatchObject({ status: 201 })
    expect(await ada.createAsset(asset)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect(await log.next()).toEqual([])
    expect(sent).toHaveLength(1)
  })
})
