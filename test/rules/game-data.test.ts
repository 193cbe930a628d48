import { expect, it } from 'vitest'
import { gameDataProblem } from '../../src/platform/http/game-data.ts'

it('a list with more elements than data may have bytes is refused unread: a Worker can send 4 billion empty ones', () => {
  const list: unknown[] = []
  list.length = 2 ** 32 - 1
  Object.defineProperty(list, 0, {
    get: () => {
      throw new Error('it was read')
    },
  })
  expect(gameDataProblem({ list })).toMatch('must have at most 4096 bytes')
})
