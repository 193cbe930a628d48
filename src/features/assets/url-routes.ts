import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { versionUrls } from './read.ts'
import { AssetUrls, GetAssetUrls } from './version-schema.ts'

/** URLs of many assets (docs/conformance.md#game-assets). */
export const router = new Router('Game assets', requestContext)

route(router, 'POST /v1/game/urls', 'getAssetUrls', {
  summary: 'Get URLs to download the content of up to 100 assets',
  description:
    'Each item has the answer of a request for its URL alone: the URL, or the code of the error. Without `version`, the URL is that of the current version.',
  body: GetAssetUrls,
  answers: { 200: [AssetUrls, 'The URLs'] },
  handle: async (ctx, { body }) => ({ urls: await versionUrls(ctx, body.items) }),
})
