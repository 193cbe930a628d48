import { describe, expect, it } from 'vitest'
import { newPlayer, type Player } from '../support/saves.ts'
import { operator } from '../support/user.ts'

/** What a token with these scopes sends for a player. */
async function actingFor(ada: Player, scope: string) {
  const actor = await operator(scope)
  const headers = { 'On-Behalf-Of': encodeURIComponent(ada.id), 'Audit-Reason': 'Ticket%2012' }
  const request = (method: string, path: string, body?: string) =>
    actor.request(method, `/saves${path}`, { headers, ...(body !== undefined && { body }) })
  return { id: actor.id, request }
}

describe('on behalf of a player', () => {
  it('a server with saves:write writes the studio’s slots, and the player and support read them', async () => {
    const ada = await newPlayer()
    const server = await actingFor(ada, 'saves:write')
    expect((await server.request('PUT', '/server.bag', 'gold')).body).toMatchObject({
      slot: 'server.bag',
      written_by: server.id,
    })
    await server.request('PUT', '/server.hidden.score', 'fair')
    await server.request('PUT', '/auto', 'mended')
    expect(await ada.content('server.bag')).toBe('gold')
    expect(await ada.revisions('auto')).toMatchObject([{ written_by: server.id }])
    const mia = await actingFor(ada, 'players:write')
    expect(await mia.request('PUT', '/server.bag', 'more')).toBeProblem(403, 'SAVE_READ_ONLY')
    expect(await mia.request('GET', '/server.hidden.score')).toBeProblem(404, 'SAVE_NOT_FOUND')
    expect(Object.keys(Object((await mia.request('GET', '')).body))).toEqual([
      'saves',
      'used_bytes',
      'limit_bytes',
    ])
    expect((await server.request('GET', '')).body).toMatchObject({
      used_bytes: 6,
      server_used_bytes: 8,
      server_limit_bytes: 8_388_608,
    })
    expect((await mia.request('PUT', '/auto', 'by support')).body).toMatchObject({ written_by: mia.id })
  })

  it('saves:read reads what is hidden, and does not make support a writer of the studio’s slots', async () => {
    const ada = await newPlayer()
    await (await actingFor(ada, 'saves:write')).request('PUT', '/server.hidden.score', 'fair')
    const both = await actingFor(ada, 'saves:read players:write')
    expect((await both.request('GET', '/server.hidden.score')).status).toBe(200)
    expect(await both.request('PUT', '/server.hidden.score', 'x')).toBeProblem(403, 'SAVE_READ_ONLY')
    expect(await both.request('DELETE', '/server.hidden.score')).toBeProblem(403, 'SAVE_READ_ONLY')
    const reader = await actingFor(ada, 'saves:read')
    expect(await reader.request('PUT', '/server.bag', 'x')).toBeProblem(403, 'FORBIDDEN')
  })
})

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
