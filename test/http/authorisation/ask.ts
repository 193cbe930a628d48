import type { Answer } from '../../support/answer.ts'
import { bodies, byteBodies, queries } from '../../support/bodies.ts'
import type { Endpoint } from '../../support/description.ts'
import { Device } from '../../support/device.ts'
import { service, upgrade } from '../../support/service.ts'
import type { User } from '../../support/user.ts'

/** What a request looks like that names something in its path, its query or its body. */
export interface Asked {
  method: string
  /** Under /v1. */
  path: string
  json: Record<string, unknown> | undefined
  /** In place of JSON. */
  body?: Uint8Array
}

const ofContent = { size_bytes: 3, mime_type: 'application/octet-stream' }

/** Bodies that name something, by the place where they do. */
const naming: Record<string, (id: string, operation: string) => Record<string, unknown>> = {
  '.parent_id': (parent_id) => ({ parent_id }),
  '.user_id': (user_id) => ({ user_id }),
  '.user_ids': (user_id) => ({ user_ids: [user_id] }),
  '.target': (id) => ({ target: { type: 'asset', id } }),
  '.picture_id': (picture_id) => ({ picture_id }),
  '.file_id': (file_id) => ({ upload_type: 'file', file_id, ...ofContent, name: undefined }),
  '.asset_id': (asset_id, operation) =>
    operation === 'getAssetUrls' || operation === 'getUpdates'
      ? { items: [{ asset_id, ...(operation === 'getUpdates' && { version: 0 }) }] }
      : { upload_type: 'game_asset', asset_id, ...ofContent, name: undefined },
  '.ids': (id) => ({ ids: [id] }),
  '.notification_ids': (id) => ({ notification_ids: [id] }),
  counted: () => ({ notification_ids: [] }),
}

/** The request to an endpoint that has `id` at `place`, and `own` wherever else an id is needed. */
export function requestTo({ method, path, operation }: Endpoint, place: string, id: string, own = id): Asked {
  const named = place.startsWith('?') ? { [place.slice(1)]: id } : {}
  const query = new URLSearchParams({ ...queries[operation.operationId], ...named }).toString()
  const filled = path
    .replace('/v1', '')
    .replace('{type}', 'world')
    .replace('{version}', '1')
    .replace('{platform}', 'android')
    .replace('{channel}', 'beta')
    .replaceAll(/\{[^}]+\}/g, (name) => encodeURIComponent(name === place ? id : own))
  const at = query ? `${filled}?${query}` : filled
  const body = byteBodies[operation.operationId]
  if (body) return { method, path: at, json: undefined, body }
  const json = operation.requestBody
    ? { ...bodies[operation.operationId]?.(), ...naming[place]?.(id, operation.operationId) }
    : undefined
  return { method, path: at, json }
}

/** What a request names: `id` at `place`, and something of the asking user's wherever else an id is needed. */
interface Named {
  place: string
  id: string
  own?: string | undefined
}

/** Sends it as a user. Where a socket opens, the first message on it is the answer's text. */
export async function ask(
  user: User,
  endpoint: Endpoint,
  { place, id, own }: Named,
  reach = service,
): Promise<Answer> {
  const { method, path, ...sent } = requestTo(endpoint, place, id, own)
  if (endpoint.operation.operationId !== 'openSocket') return user.through(reach).request(method, path, sent)
  const response = await upgrade({ Authorization: `Bearer ${user.token}` }, '', reach)
  const { status, headers } = response
  const device = await Device.on(user, response)
  return { status, headers, body: device.ready, text: JSON.stringify(device.ready) }
}
