/** The stages of the comparison, in the order of `npm run reconcile`. Stages that protect content come first. */
export const stages = [
  'markers',
  'share_hints',
  'branch_hints',
  'erasures',
  'files',
  'versions',
  'previews',
  'objects',
  'uploads',
  'counters',
  'favorites',
  'measures',
  'cases',
  'mutes',
  'catalogue_assets',
  'catalogue_entries',
  'pairing',
] as const
export type Stage = (typeof stages)[number]

/** The kinds of findings. */
export const problems = [
  'marker_is_missing',
  'hint_is_missing',
  'erased_user_is_back',
  'content_is_missing',
  'content_is_queued',
  'object_has_no_record',
  'upload_has_arrived',
  'counters_differ',
  'measure_differs',
  'entry_differs',
  'mutes_differ',
  'not_paired',
] as const
export type Problem = (typeof problems)[number]
