import { describe, expect, it } from 'vitest'
import { databaseNames } from '../support/databases.ts'
import { branchDeaf, branchDying, restoreDying, shareDying } from './links/deaths.ts'

const [home = '', other = ''] = databaseNames

describe.each([
  { users: 'one database', homes: [home, home], deaths: { share: 2, branch: 4, restore: 3 } },
  { users: 'two databases', homes: [home, other], deaths: { share: 5, branch: 6, restore: 4 } },
] as const)('a Worker that dies at any call, with users of $users,', ({ homes, deaths }) => {
  it('leaves no share without its hint', async () => {
    expect(await shareDying(homes)).toBe(deaths.share)
  })

  it('leaves no branch without its hint and its marker', async () => {
    expect(await branchDying(homes)).toBe(deaths.branch)
  }, 120_000)

  it('restores no branch without its hint', async () => {
    expect(await restoreDying(homes)).toBe(deaths.restore)
  }, 120_000)
})

it('keeps the marker of a branch of which a Worker does not hear whether it was made', async () => {
  expect(await branchDeaf([home, other])).toBe(5)
}, 120_000)
