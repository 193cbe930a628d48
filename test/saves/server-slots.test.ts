import { describe, expect, it } from 'vitest'
import { newPlayer } from '../support/saves.ts'

describe('a slot whose name begins with "server." is', () => {
  it('SAVE_READ_ONLY for the player, whatever the condition, and whether it is there or not', async () => {
    const ada = await newPlayer()
    const answers = [
      await ada.write('server.bag', 'gold'),
      await ada.write('server.bag', 'gold', { 'If-None-Match': '*' }),
      await ada.write('server.', 'gold', { 'If-Match': '"3"' }, '?keep=true'),
      await ada.restore('server.bag'),
      await ada.restore('server.bag', { revision: 3 }),
      await ada.delete('server.bag', { 'If-Match': '"3"' }),
      await ada.delete('server.hidden.score'),
    ]
    for (const answer of answers) expect(answer).toBeProblem(403, 'SAVE_READ_ONLY')
    expect(await ada.user.get('/saves/server.bag')).toBeProblem(404, 'SAVE_NOT_FOUND')
    expect(await ada.user.get('/saves/server.hidden.score')).toBeProblem(404, 'SAVE_NOT_FOUND')
    expect((await ada.list()).saves).toEqual([])
  })

  it('the only one: names that only resemble it are the player’s', async () => {
    const ada = await newPlayer()
    for (const slot of ['server', 'Server.bag', 'my.server.bag', 'server-bag'])
      expect((await ada.write(slot, 'x')).status, slot).toBe(201)
  })
})
