import { unknownId } from './ids.ts'
import { png } from './pictures.ts'

/** A valid body for each operation, by operation id. The tests of an operation that is missing here fail. */
export const bodies: Record<string, () => Record<string, unknown>> = {
  createFolder: () => ({ name: 'new', asset_type: 'folder' }),
  // These take bytes of any type: those of a JSON object, too.
  createContent: () => ({ level: 1 }),
  replaceContent: () => ({ level: 2 }),
  editFile: () => ({ name: 'other' }),
  getDownloadUrls: () => ({ ids: [unknownId] }),
  getAssetUrls: () => ({ items: [{ asset_id: unknownId }] }),
  createReport: () => ({ target: { type: 'asset', id: unknownId }, category: 'spam' }),
  createAppeal: () => ({ text: 'Look again.' }),
  openCase: () => ({ target: { type: 'asset', id: unknownId } }),
  getCaseContent: () => ({ reason: 'Is it in the file?' }),
  decide: () => ({ action: 'block', ground: 'terms', statement: 'It is forbidden here.' }),
  answerAppeal: () => ({ outcome: 'upheld', answer: 'It stays.' }),
  startUpload: () => ({ upload_type: 'file', name: 'new', size_bytes: 1, mime_type: 'text/plain' }),
  presignParts: () => ({ part_numbers: [1] }),
  completeUpload: () => ({}),
  setVerdict: () => ({ verdict: 'ready' }),
  createAsset: () => ({ name: 'new', type: 'world' }),
  editAsset: () => ({ name: 'other' }),
  restoreAsset: () => ({}),
  branchAsset: () => ({ name: 'branch' }),
  rollBackAsset: () => ({ from_version: 1 }),
  editVersion: () => ({ notes: 'new' }),
  setChannel: () => ({ version: 1 }),
  getUpdates: () => ({ items: [{ asset_id: unknownId, version: 0 }] }),
  restoreFile: () => ({}),
  createShare: () => ({ grantee_id: 'somebody', permission: 'view' }),
  setProfile: () => ({ picture_id: null }),
  getProfiles: () => ({ user_ids: ['somebody'] }),
  setQuotaOfUser: () => ({ limit_bytes: 1 }),
  markNotificationsRead: () => ({ notification_ids: [unknownId] }),
  movePartitions: () => ({ first: '000', last: '000', database: 'DB' }),
  reconcilePage: () => ({ database: 'DB', stage: 'files' }),
  writeCatalogue: () => ({ of: 'marks', database: 'DB' }),
  resendEvents: () => ({ all: true }),
  discardEvents: () => ({ all: true }),
  // A save takes bytes of any type: those of a JSON object, too.
  writeSave: () => ({ level: 3 }),
  restoreSave: () => ({}),
  // Of a time in which nobody wrote: a recall reaches the players of all tests.
  createRecall: () => ({ from: 1, until: 2, newer: 'keep', reason: 'a test' }),
  publishAnnouncement: () => ({
    type: 'studio.notice',
    data: { minutes: 30 },
    expires_at: Math.floor(Date.now() / 1_000) + 60,
  }),
  deleteNotifications: () => ({ notification_ids: [unknownId] }),
  publishNotifications: () => ({
    user_ids: ['somebody'],
    type: 'shop.gift',
    data: { gift_id: 'golden-sword' },
  }),
  publishNotification: () => ({
    user_id: 'somebody',
    type: 'friend_request',
    data: { from_user_id: 7, from_display_name: 'Bob' },
  }),
}

/** The bodies of operations that take no JSON: bytes of a certain form, by operation id. */
export const byteBodies: Record<string, Uint8Array> = { setPreview: png }

/** The query that an operation needs, by operation id. */
export const queries: Record<string, Record<string, string>> = {
  createContent: { name: 'new' },
  getFigures: { from: '1795000000', to: '1796000000' },
}
