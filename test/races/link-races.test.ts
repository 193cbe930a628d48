import { describe, expect, it } from 'vitest'
import { FIRST } from '../../src/platform/shards/map.ts'
import { branchDying, restoreDying, shareDying } from '../shards/links/deaths.ts'
import { proveLinks } from '../shards/links/proof.ts'

it('shares and branches are listed and linked, each of them and nothing else, whatever else comes', () =>
  proveLinks(['share: done', 'branch: done', 'job: done', 'shares shown', 'branches shown']))

describe('a Worker that dies at any call, with one database,', () => {
  it('leaves no share without its hint', async () => {
    expect(await shareDying([FIRST, FIRST])).toBe(2)
  })

  it('leaves no branch without its hint and its marker', async () => {
    expect(await branchDying([FIRST, FIRST])).toBe(4)
  })

  it('restores no branch without its hint', async () => {
    expect(await restoreDying([FIRST, FIRST])).toBe(3)
  })
})
