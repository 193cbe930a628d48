import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { createRouter, errorResponsesWithBody, json, jsonRequest } from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { versionUrls } from './read.ts'
import { AssetUrls, GetAssetUrls } from './version-schema.ts'

/** URLs of many assets (docs/conformance.md#game-assets), mounted at /v1/game/urls. */
export const assetUrls = createRouter()

const postUrls = createRoute({
  method: 'post',
  path: '/',
  operationId: 'getAssetUrls',
  summary: 'Get URLs to download the content of up to 100 assets',
  description:
    'Each item has the answer of a request for its URL alone: the URL, or the code of the error. Without `version`, the URL is that of the current version.',
  tags: ['Game assets'],
  middleware: jsonBody,
  request: { body: jsonRequest(GetAssetUrls) },
  responses: { 200: json(AssetUrls, 'The URLs'), ...errorResponsesWithBody() },
})
assetUrls.openapi(postUrls, async (c) =>
  c.json({ urls: await versionUrls(requestContext(c), c.req.valid('json').items) }, 200),
)
