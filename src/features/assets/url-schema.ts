import { z } from '@hono/zod-openapi'
import { Id } from '../../platform/http/fields.ts'
import { DownloadUrl, MAX_URLS } from '../files/schema.ts'
import { urlErrors, VersionNumber } from './schema.ts'

/** The body of a request for the URLs of assets. */
export const GetAssetUrls = z
  .object({
    items: z
      .array(
        z.object({
          asset_id: Id,
          version: VersionNumber.optional().openapi({
            type: 'integer',
            description: 'Default: the current version',
          }),
        }),
      )
      .min(1)
      .max(MAX_URLS)
      .openapi({ description: 'An item may be repeated' }),
  })
  .openapi('GetAssetUrls', {
    example: { items: [{ asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05', version: 1 }] },
  })
/** An item of a request for the URLs of assets. */
export type WantedUrl = z.output<typeof GetAssetUrls>['items'][number]

/** The URL of a version of one of several assets, or the code of the error that a request for it alone gets. */
const UrlOfAsset = z.union([
  DownloadUrl.extend({ asset_id: Id, version: z.int().openapi({ example: 1 }) }).openapi('AssetUrl'),
  z
    .object({
      asset_id: Id,
      version: z.number().optional().openapi({
        type: 'integer',
        description:
          'The `version` of the item; 0 for an asset without content. Absent when the item names none and the asset does not exist',
      }),
      code: z.enum(urlErrors),
    })
    .openapi('AssetUrlError', {
      example: { asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05', version: 7, code: 'VERSION_NOT_FOUND' },
    }),
])
export type UrlOfAsset = z.output<typeof UrlOfAsset>

/** The answer to a request for the URLs of assets. */
export const AssetUrls = z
  .object({ urls: z.array(UrlOfAsset).openapi({ description: 'In the order of `items`' }) })
  .openapi('AssetUrls')
