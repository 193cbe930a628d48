import { sql } from 'drizzle-orm'
import { fileTypes, gameAssetTypes } from '../../platform/db/enumerations.ts'

/** The kinds of content that `usage.parts` counts, in its order: each type of file and of asset, and previews. */
export const contentKinds = [...fileTypes, ...gameAssetTypes, 'preview'] as const
export type ContentKind = (typeof contentKinds)[number]

/** `usage.parts` of a user who has stored nothing. */
export const NO_PARTS = JSON.stringify(Object.fromEntries(contentKinds.map((kind) => [kind, 0])))

/** SQL: from how many bytes on a content is large, written out as the partial index has it (migrations/0021_breakdown.sql). */
export const LARGE_BYTES = sql.raw('1048576')
