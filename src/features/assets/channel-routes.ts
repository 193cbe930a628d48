import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { deleteChannel, listChannels, setChannel } from './channels.ts'
import * as schema from './release-schema.ts'
import { AssetId } from './schema.ts'

/** The channels of game assets (docs/conformance.md#releases). */
export const router = new Router('Game assets', requestContext)

route(router, 'GET /v1/game/assets/{id}/channels', 'listChannels', {
  summary: 'List the channels of an asset',
  description: 'The asset is the caller’s own. The list is whole.',
  params: AssetId,
  answers: { 200: [schema.Channels, 'The channels, by name'] },
  errors: ['ASSET_NOT_FOUND'],
  handle: async (ctx, { params }) => ({ channels: await listChannels(ctx, params.id) }),
})

route(router, 'PUT /v1/game/assets/{id}/channels/{channel}', 'setChannel', {
  summary: 'Have a channel of an asset serve a version',
  description:
    'The asset is the caller’s own. `live` is what everybody else gets where they get the current version otherwise; any other channel is for those who are told its key. The ETag of the asset changes.',
  params: schema.NewChannel,
  ifMatch: true,
  body: schema.SetChannel,
  answers: { 200: [schema.Channel, 'The channel'] },
  errors: ['ASSET_NOT_FOUND', 'VERSION_NOT_FOUND', 'LIMIT_REACHED'],
  handle: (ctx, { params: { id, channel }, body, expected }) => setChannel(ctx, id, channel, body, expected),
})

route(router, 'DELETE /v1/game/assets/{id}/channels/{channel}', 'deleteChannel', {
  summary: 'Delete a channel of an asset',
  description:
    'Its key is of no use from then on. Without `live`, everybody gets the current version. The ETag of the asset changes.',
  params: schema.KnownChannel,
  ifMatch: true,
  answers: { 204: 'The channel is deleted' },
  errors: ['ASSET_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
  handle: (ctx, { params: { id, channel }, expected }) => deleteChannel(ctx, id, channel, expected),
})
