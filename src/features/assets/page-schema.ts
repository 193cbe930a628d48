import { z } from '@hono/zod-openapi'
import { GameData, gameDataProblem } from '../../platform/http/game-data.ts'
import { plainText, plainTextInWords } from './plain-text.ts'

const MAX_DESCRIPTION_CODE_POINTS = 5_000
const MAX_TAGS = 16
const TAG = /^[a-z0-9_-]{1,32}$/

/** A tag of an asset, wherever a request names one. */
export const Tag = z
  .string()
  .regex(TAG, 'must have 1 to 32 of the characters a-z, 0-9, _ and -')
  .openapi({ 'x-name': 'Tag', pattern: TAG.source, example: 'horror' })

/** What an asset says of itself (docs/asset-pages.md), in requests: each member as a whole, none of them null. */
const AssetPage = z.object({
  description: plainText(MAX_DESCRIPTION_CODE_POINTS).optional().openapi({
    'x-name': 'AssetDescription',
    'x-description': plainTextInWords,
    maxLength: MAX_DESCRIPTION_CODE_POINTS,
    example: 'A castle with a moat.',
  }),
  tags: z
    .array(Tag)
    .max(MAX_TAGS)
    .refine((tags) => new Set(tags).size === tags.length, 'must have each tag once')
    .optional()
    .openapi({
      'x-name': 'Tags',
      'x-description': 'Each once; the order is kept',
      uniqueItems: true,
      example: ['castle', 'horror'],
    }),
  metadata: GameData.superRefine((data, context) => {
    const problem = gameDataProblem(data)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  }).optional(),
  listed: z.boolean().optional().openapi({
    description: 'false keeps a public asset out of the catalogue, for those who are told its id',
  }),
})

/** What an asset says of itself, as far as a request says it. */
export type AssetPage = z.output<typeof AssetPage>

/** The members of bodies that say something of an asset's page. */
export const pageFields = AssetPage.shape
