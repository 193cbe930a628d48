/** How often an operation is asked for, where once in a while would be too little, or would leave too little. */
export const weights: Record<string, number> = {
  startUpload: 5,
  completeUpload: 6,
  setVerdict: 5,
  createFolder: 2,
  createAsset: 2,
  createShare: 5,
  revokeShare: 2,
  editFile: 3,
  getSharedUrl: 2,
  branchAsset: 2,
  getVersionUrl: 3,
  presignParts: 2,
  publishNotification: 2,
  restoreAsset: 2,
  restoreFile: 2,
  emptyTrash: 0.6,
  purgeFile: 0.7,
  abortUpload: 0.7,
  eraseUser: 0.3,
  setQuotaOfUser: 0.6,
  getShards: 0.5,
  movePartitions: 0.7,
  undoMove: 0.5,
  getReconcileExtent: 0.4,
  reconcilePage: 1,
  discardEvents: 0.7,
}

/** What a request is meant to be, and how often. */
export const intents = [
  { intent: 'valid', weight: 44 },
  { intent: 'other’s', weight: 26 },
  { intent: 'near', weight: 15 },
  { intent: 'hostile', weight: 11 },
  { intent: 'raw', weight: 11 },
  { intent: 'again', weight: 4 },
] as const
