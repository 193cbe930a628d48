import { beforeAll, describe, expect, inject, it } from 'vitest'
import { made } from '../support/answer.ts'
import { Device } from '../support/device.ts'
import { unknownId } from '../support/ids.ts'
import { records } from '../support/records.ts'
import { Player } from '../support/saves.ts'
import { signUp, type User } from '../support/user.ts'

const { origin } = inject('acceptance')

/** Names and content that the two users, who may be given, do not have yet. */
const run = crypto.randomUUID()
const content = () => crypto.getRandomValues(new Uint8Array(50_000))

describe('the service', () => {
  let [ada, bob]: User[] = []

  const users = () => {
    if (!ada || !bob) throw new Error('Nobody has signed up.')
    return { ada, bob }
  }

  beforeAll(async () => {
    ada = await signUp('smoke')
    bob = await signUp('smoke')
  })

  it('is ready', async () => {
    const answer = await fetch(`${origin}/readyz`)
    expect(answer.status, await answer.text()).toBe(200)
  })

  it('takes small content in one request, and gives it back', async () => {
    const { ada } = users()
    const { id } = await ada.content(`smoke ${run}.txt`, `hello ${run}`)
    expect((await ada.readContent(id)).text).toBe(`hello ${run}`)
  })

  it('takes an upload to a signed URL, and serves its download', async () => {
    const { ada } = users()
    const sent = content()
    const file = await ada.file(`smoke ${run}.bin`, sent)
    expect(new Uint8Array(await (await ada.download(file)).arrayBuffer())).toEqual(sent)
  })

  it('shares a file with another user, until it is revoked', async () => {
    const { ada, bob } = users()
    const sent = content()
    const share = await ada.share(await ada.file(`smoke shared ${run}.bin`, sent), bob)
    const { url } = made(records.DownloadUrl, await bob.sharedUrl(share), 200)
    expect(new Uint8Array(await (await bob.fetchSigned(url)).arrayBuffer())).toEqual(sent)
    expect((await ada.revoke(share)).status).toBe(204)
    expect(await bob.sharedUrl(share)).toBeProblem(404, 'SHARE_NOT_FOUND')
  })

  it('keeps a save', async () => {
    const player = new Player(users().ada)
    const { revision } = await player.save(`smoke-${run}`, run)
    expect(await player.content(`smoke-${run}`)).toBe(run)
    const deleted = await player.delete(`smoke-${run}`, { 'If-Match': `"${revision}"` })
    expect(deleted.status).toBe(204)
  })

  // A report would stay in the queue of the studio's moderators.
  it('lists reports and decisions, and takes no report about what is not there', async () => {
    const { ada } = users()
    made(records.ReportPage, await ada.get('/reports'), 200)
    made(records.DecisionPage, await ada.get('/decisions'), 200)
    const json = { target: { type: 'asset', id: unknownId }, category: 'spam' }
    expect(await ada.request('POST', '/reports', { json })).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('opens a socket, which knows how the inbox stands', async () => {
    const { ada } = users()
    const device = await Device.of(ada)
    expect((await ada.get('/notifications/unread-count')).body).toEqual({ count: device.ready.unread })
    await device.leave()
  })
})
