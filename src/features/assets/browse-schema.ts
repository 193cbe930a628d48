import { z } from '@hono/zod-openapi'
import { catalogueSorts } from '../../platform/db/enumerations.ts'
import { Cursor, PageLimit, UserId } from '../../platform/http/fields.ts'
import { Tag } from './page-schema.ts'
import { AssetType } from './schema.ts'

const MAX_QUERY_CODE_POINTS = 100

/** The most tags of each kind in one query. */
const MAX_TAGS = 5

/** A query parameter with a tag, which may be repeated. */
function tagsInQuery(name: string, description: string) {
  return z
    .preprocess(
      (given) => (typeof given === 'string' ? [given] : given),
      z.array(Tag).max(MAX_TAGS).default([]),
    )
    .openapi({
      description: `${description}. May be repeated: \`${name}=horror&${name}=maze\``,
    })
}

/** The query of a list of the catalogue (docs/catalogue.md). */
export const BrowseAssets = z
  .object({
    type: AssetType.optional(),
    tag: tagsInQuery('tag', 'Only assets with each of these tags'),
    exclude_tag: tagsInQuery('exclude_tag', 'Only assets with none of these tags'),
    owner_id: UserId.optional().openapi({ description: 'Only assets of this user' }),
    q: z
      .string()
      .refine(
        (q) => q !== '' && [...q].length <= MAX_QUERY_CODE_POINTS && !q.includes('\0'),
        `must have 1 to ${MAX_QUERY_CODE_POINTS} characters, none of them NUL`,
      )
      .optional()
      .openapi({
        minLength: 1,
        maxLength: MAX_QUERY_CODE_POINTS,
        description:
          'Compared literally, ignoring case, accents, strokes (`l` finds `ł`), ligatures (`oe` finds `œ`), width, and characters that have none. Finds names that contain the text; with fewer than three characters, names that begin with the text. Goes with the order `published` only',
      }),
    sort: z.enum(catalogueSorts).default('published').openapi({
      description:
        '`published`: last published first. `updated`: last updated first. `popular`: by favorites, in steps; within a step, the last that came into the catalogue first',
    }),
    limit: PageLimit,
    cursor: Cursor,
  })
  .refine(({ q, sort }) => q === undefined || sort === 'published', {
    path: ['sort'],
    message: 'A search with q is in the order published: leave sort away, or q.',
  })
export type BrowseAssets = z.output<typeof BrowseAssets>
