import { made } from '../answer.ts'
import { bodies } from '../bodies.ts'
import { checker } from '../checking.ts'
import { bytes } from '../content.ts'
import { silentQueue } from '../events.ts'
import { Upload } from '../records.ts'
import { origin } from '../service.ts'
import { operator, put } from '../user.ts'
import { audited, type Budget, type Measuring } from './measure.ts'
import type { World } from './world.ts'

/** Measures what operators ask for, and what needs no token. */
export async function measureOperators(costs: Measuring, world: World): Promise<void> {
  const { measure, service } = costs
  const { ada } = world
  const all =
    'audit:read quota:write users:read shards:move content:reconcile events:manage job:read announcements:publish saves:recall'
  const studio = await operator(all, service)
  const get = (request: string, path: string, budget: Budget = {}) =>
    measure(request, () => studio.get(path), 200, budget)
  const post = (request: string, path: string, operation: string, budget: Budget = {}) =>
    measure(request, () => studio.request('POST', path, { json: bodies[operation]?.() }), 200, budget)
  // What these read hangs on all that there is.
  const page: Budget = { trips: 3, rows_read: 4_000, rows_written: 1_000, varies: 'always' }
  await get('quota of a user', `/users/${ada.id}/quota`)
  const json = { limit_bytes: 1e15 }
  await measure('set the quota of a user', () => studio.request('PUT', `/users/${ada.id}/quota`, { json }))
  await get('get a user', `/users/${ada.id}`)
  await get('list announcements', '/announcements')
  await get('list recalls', '/recalls')
  await get('get the databases', '/shards', { ...page, rows_read: 6_000 })
  await post('move partitions', '/shards/move', 'movePartitions')
  await post('undo a move', '/shards/undo', 'undoMove')
  await get('get the extent of a comparison', '/reconcile')
  await post('compare a page', '/reconcile', 'reconcilePage', page)
  await get('get the catalogue', '/catalogue', { trips: 2, varies: 'always' })
  await post('write the catalogue', '/catalogue/rebuild', 'writeCatalogue', audited(page))
  await get('get what the job did', '/job')
  await get('list what was done', '/audit?limit=20', { trips: 1, rows_read: 21, rows_written: 0 })
  const filters = `user_id=${ada.id}&actor=${studio.id}`
  await get('list what one did to a user', `/audit?limit=20&${filters}`, {
    trips: 1,
    rows_read: 2_000,
    rows_written: 0,
  })
  await get('list undelivered events', '/events')
  await post('resend events', '/events/resend', 'resendEvents')
  await post('discard events', '/events/discard', 'discardEvents')
  await measureOnBehalf(costs, world)
  await measureVerdict(costs, world)
  for (const path of [
    '/health',
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/openapi.operators.json',
    '/asyncapi.json',
  ])
    await measure(path, () => service(new Request(origin + path)))
}

/** Reading and a change on behalf of a player. The first read of the hour has an entry, which an isolate writes once. */
async function measureOnBehalf({ measure, service }: Measuring, { ada, folder }: World): Promise<void> {
  const support = await operator('players:write', service)
  const headers = { 'On-Behalf-Of': ada.id, 'Audit-Reason': 'Ticket' }
  const path = `/files/${folder.id}`
  const read = () => support.get(path, headers)
  await measure('get a file on behalf of a player, first in the hour', read, 200, {
    trips: 2,
    rows_written: 4,
  })
  await measure('get a file on behalf of a player', read, 200, { trips: 1, rows_written: 0 })
  const rename = () => support.request('PATCH', path, { json: { name: 'renamed on behalf' }, headers })
  await measure('rename on behalf of a player', rename, 200, audited({ trips: 1, rows_written: 8 }))
  await ada.change(folder, { name: 'saves' })
}

/** The verdict on a file whose upload waits for it. */
async function measureVerdict(
  { measure, differently, service }: Measuring,
  { ada, folder }: World,
): Promise<void> {
  const { queue } = silentQueue()
  const checked = ada.through(differently(checker('file'), { CHECKS: queue }))
  const content = bytes('checked')
  const declared = { name: 'checked', size_bytes: content.length, parent_id: folder.id }
  const upload = made(
    Upload,
    await checked.startUpload({ upload_type: 'file', mime_type: 'text/plain', ...declared }),
    201,
  )
  await put(upload, content)
  await measure('complete an upload that is checked', () => checked.complete(upload), 202)
  const judge = await operator('content:check', service)
  const path = `/uploads/${upload.id}/verdict`
  await measure('give a verdict', () => judge.request('PUT', path, { json: { verdict: 'ready' } }), 204)
}
