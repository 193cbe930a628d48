import { describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { createStudio } from '#client/studio'
import { made } from '../support/answer.ts'
import { tokenFor } from '../support/identities.ts'
import { newNamedId } from '../support/ids.ts'
import { records } from '../support/records.ts'
import { origin } from '../support/service.ts'
import { operator } from '../support/user.ts'
import { atOnce, network, noting } from './client.ts'

/** A studio of support, its requests, and a player with their own client. */
async function desk(scope = 'players:write') {
  const { requests, fetch } = noting()
  const [support, player] = [newNamedId('support'), newNamedId('ada, 100 % Ä')]
  const options = { baseUrl: origin, retry: atOnce }
  const studio = createStudio({ ...options, fetch, token: await tokenFor(support, { scope }) })
  const ada = createClient({ ...options, fetch: network(), token: await tokenFor(player) })
  return { studio, ada, support, player, requests }
}

async function entriesOf(actor: string) {
  const auditor = await operator('audit:read')
  return made(records.AuditPage, await auditor.get(`/audit?actor=${encodeURIComponent(actor)}`), 200).entries
}

describe('studio.onBehalfOf', () => {
  it('is the player’s client: folders, uploads, saves and worlds are the player’s, with one entry an act', async () => {
    const { studio, ada, support, player, requests } = await desk()
    const reason = 'Ticket 7: 100 % “gone”'
    const hers = studio.onBehalfOf(player, reason)
    const folder = await hers.files.createFolder({ name: 'maps' })
    const file = await hers.files.upload({ name: 'note', content: new Uint8Array(2 ** 20 + 1) })
    await hers.saves.write({ slot: 'auto', bytes: new TextEncoder().encode('x') })
    const asset = await hers.assets.create({ name: 'castle', type: 'world' })
    expect((await ada.files.list().page()).files.map(({ id }) => id).sort()).toEqual(
      [folder.id, file.id].sort(),
    )
    expect((await ada.saves.list()).saves).toMatchObject([{ slot: 'auto' }])
    expect((await ada.assets.list().page()).assets).toMatchObject([{ id: asset.id, owner_id: player }])
    const entries = await entriesOf(support)
    expect(new Set(entries.map(({ user_id, reason }) => `${user_id} ${reason}`))).toEqual(
      new Set([`${player} ${reason}`]),
    )
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['createFolder', 'writeSave', 'createAsset']),
    )
    // Signed URLs lead elsewhere, and get neither name nor reason.
    const elsewhere = requests.filter(({ url }) => !new URL(url).pathname.startsWith('/v1/'))
    expect(elsewhere.length).toBeGreaterThan(0)
    for (const { headers } of elsewhere) expect([...headers.keys()]).not.toContain('on-behalf-of')
  })

  it('leaves the studio’s own requests as they are, and another player’s', async () => {
    const { studio, player, requests } = await desk('players:read users:read')
    const other = newNamedId('bob')
    await studio.onBehalfOf(player).quota.get()
    await studio.onBehalfOf(other, 'why').quota.get()
    await studio.users.get({ user_id: player })
    expect(requests.map(({ headers }) => [headers.get('On-Behalf-Of'), headers.get('Audit-Reason')])).toEqual(
      [
        [encodeURIComponent(player), null],
        [encodeURIComponent(other), 'why'],
        [null, null],
      ],
    )
  })

  it('refuses what would be done for the sender: a live inbox, and saves of a device', async () => {
    const { studio, player, requests } = await desk()
    const hers = studio.onBehalfOf(player, 'why')
    expect(() => hers.inbox.open()).toThrow(TypeError)
    expect(() => hers.saves.offline(new Map())).toThrow(TypeError)
    expect(() => studio.onBehalfOf('')).toThrow(TypeError)
    expect(() => studio.onBehalfOf('\ud800')).toThrow(URIError)
    expect(requests).toEqual([])
  })

  it('says what the service refuses: without a reason, and in a player’s name', async () => {
    const { studio, player } = await desk()
    await expect(studio.onBehalfOf(player).files.createFolder({ name: 'a' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    })
    const hers = studio.onBehalfOf(player, 'why')
    await expect(hers.mutes.add({ user_id: 'bob' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('on behalf of a player'),
    })
  })
})
