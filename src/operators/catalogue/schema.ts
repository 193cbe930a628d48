import { z } from '@hono/zod-openapi'
import { DatabaseName } from '../../platform/http/fields.ts'

/** How many entries the catalogue has, and how many marks wait. */
export const CatalogueOverview = z
  .object({
    database: z.string().openapi({ description: 'The binding of the database that has the catalogue' }),
    entries: z.int().openapi({ description: 'The assets that pages show' }),
    marks: z
      .array(z.object({ database: DatabaseName, waiting: z.int() }).openapi({ 'x-name': 'CatalogueMarks' }))
      .openapi({ description: 'The assets of each database whose entry is to be written' }),
  })
  .openapi('CatalogueOverview', {
    example: { database: 'DB', entries: 20_480, marks: [{ database: 'DB', waiting: 0 }] },
  })
export type CatalogueOverview = z.output<typeof CatalogueOverview>

/** The body of a request that rebuilds a part of the catalogue. */
export const RebuildCatalogue = z
  .object({
    of: z.enum(['assets', 'entries', 'marks']).openapi({
      description:
        '`assets` marks the next assets of the database; `entries` marks those that the next entries show as they are not; `marks` marks nothing. Each writes entries of marked assets of the database',
    }),
    database: DatabaseName,
    after: z.string().max(64).nullish().openapi({ description: 'The `next` of the request before' }),
  })
  .openapi('RebuildCatalogue', { example: { of: 'assets', database: 'DB' } })
export type RebuildCatalogue = z.output<typeof RebuildCatalogue>

/** How much a request has rebuilt. */
export const CatalogueRebuilt = z
  .object({
    compared: z.int(),
    marked: z.int().openapi({ description: 'The assets that were marked' }),
    applied: z
      .int()
      .openapi({ description: 'The entries that were written, of these assets and of earlier marks' }),
    next: z.string().nullable().openapi({ description: 'null: this part is done' }),
  })
  .openapi('CatalogueRebuilt', {
    example: { compared: 200, marked: 200, applied: 200, next: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05' },
  })
export type CatalogueRebuilt = z.output<typeof CatalogueRebuilt>
