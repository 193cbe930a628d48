/* The values of columns with few values. Not in schema.ts, because its tables take longer to load. */

/** The items that have content. */
export const fileTypes = ['file', 'profile_pic', 'emote', 'chat_attachment'] as const
/** The items of a user's tree. An unfiltered list merges one SELECT a type: see src/features/files/list.ts before adding one. */
export const assetTypes = ['folder', ...fileTypes] as const
export const processingStates = ['pending', 'processing', 'ready', 'failed'] as const
export const uploadTypes = ['file', 'game_asset'] as const
export const uploadStates = ['open', 'completing', 'completed', 'failed'] as const
export const checkStates = ['waiting', 'ready', 'failed'] as const
export const permissions = ['view', 'edit'] as const
export const gameAssetTypes = ['world', 'avatar', 'prop'] as const
export type GameAssetType = (typeof gameAssetTypes)[number]
export const visibilities = ['public', 'private'] as const
/** For whom an asset is, the mildest first. */
export const ratings = ['everyone', 'teen', 'mature'] as const
export type Rating = (typeof ratings)[number]
export const blockedKinds = ['files', 'assets'] as const
export const partitionStates = ['open', 'frozen', 'incoming', 'gone'] as const
export const moveRoles = ['source', 'target'] as const

/** The task of `progress` that has the position of the walk over the bucket's objects (src/features/content/orphans.ts). */
export const BUCKET_WALK = 'bucket_walk'

/** What a recall does with slots that were written since. */
export const newerSaves = ['keep', 'revert'] as const
/** What a recall comes to for a slot. */
export const recallOutcomes = ['reverted', 'kept', 'without_earlier'] as const

/** The orders of the catalogue. */
export const catalogueSorts = ['published', 'updated', 'popular'] as const
export type CatalogueSort = (typeof catalogueSorts)[number]

/** What a report or a case is about. */
export const targetTypes = ['asset', 'file', 'user'] as const
export type TargetType = (typeof targetTypes)[number]
/** What players may report a thing for. */
export const reportCategories = [
  'sexual',
  'violence',
  'hate',
  'harassment',
  'self_harm',
  'child_safety',
  'illegal_goods',
  'fraud',
  'privacy',
  'copyright',
  'malware',
  'spam',
  'other',
] as const
/** What a moderator does: `rate`, `unlist` and `block` are measures, which stay in force until they are lifted. */
export const decisionActions = ['none', 'warn', 'rate', 'unlist', 'block'] as const
export const decisionGrounds = ['law', 'terms'] as const
export const appealStates = ['open', 'upheld', 'reversed'] as const
export const appellants = ['owner', 'reporter'] as const
export const caseStates = ['open', 'appealed', 'decided'] as const
