/** The members of an entry that say what was done. */
interface Act {
  action: string
  user_id: string | null
  status: number | null
  scope?: string
}

/** What an act was, in words: `mod-7 blocked an asset`, and `mod-7 tried to block an asset`. */
interface Words {
  done: string
  attempted: string
  /** The word before the player whom it concerns: `blocked an asset of Ada`. */
  before?: string
}

/** What support does on behalf of a player. */
const forPlayer: Readonly<Record<string, Omit<Words, 'before'>>> = {
  createFolder: { done: 'made a folder', attempted: 'make a folder' },
  editFile: { done: 'changed a file or folder', attempted: 'change a file or folder' },
  deleteFile: { done: 'deleted a file or folder', attempted: 'delete a file or folder' },
  createContent: { done: 'uploaded a file', attempted: 'upload a file' },
  replaceContent: { done: 'replaced the content of a file', attempted: 'replace the content of a file' },
  emptyTrash: { done: 'emptied the trash', attempted: 'empty the trash' },
  restoreFile: { done: 'restored a file or folder', attempted: 'restore a file or folder' },
  purgeFile: { done: 'deleted a file or folder for good', attempted: 'delete a file or folder for good' },
  createShare: { done: 'shared a file', attempted: 'share a file' },
  leaveSharesOfOwner: { done: 'left the shares of somebody', attempted: 'leave the shares of somebody' },
  revokeShare: { done: 'ended a share', attempted: 'end a share' },
  setProfile: { done: 'chose the picture', attempted: 'choose the picture' },
  startUpload: { done: 'began an upload', attempted: 'begin an upload' },
  abortUpload: { done: 'ended an upload', attempted: 'end an upload' },
  presignParts: { done: 'went on with an upload', attempted: 'go on with an upload' },
  completeUpload: { done: 'completed an upload', attempted: 'complete an upload' },
  createAsset: { done: 'made an asset', attempted: 'make an asset' },
  editAsset: { done: 'changed an asset', attempted: 'change an asset' },
  deleteAsset: { done: 'deleted an asset', attempted: 'delete an asset' },
  restoreAsset: { done: 'restored an asset', attempted: 'restore an asset' },
  branchAsset: { done: 'branched an asset', attempted: 'branch an asset' },
  rollBackAsset: { done: 'rolled an asset back', attempted: 'roll an asset back' },
  editVersion: { done: 'changed a version', attempted: 'change a version' },
  deleteVersion: { done: 'deleted a version', attempted: 'delete a version' },
  deleteVariant: { done: 'deleted a variant', attempted: 'delete a variant' },
  setChannel: { done: 'set a channel of an asset', attempted: 'set a channel of an asset' },
  deleteChannel: { done: 'deleted a channel of an asset', attempted: 'delete a channel of an asset' },
  setPreview: { done: 'set a preview', attempted: 'set a preview' },
  deletePreview: { done: 'removed a preview', attempted: 'remove a preview' },
  setFavorite: { done: 'marked a favorite', attempted: 'mark a favorite' },
  deleteFavorite: { done: 'removed a favorite', attempted: 'remove a favorite' },
  writeSave: { done: 'wrote a save', attempted: 'write a save' },
  deleteSave: { done: 'deleted a save', attempted: 'delete a save' },
  restoreSave: { done: 'restored a save', attempted: 'restore a save' },
  markNotificationsRead: { done: 'marked notifications as read', attempted: 'mark notifications as read' },
  deleteNotifications: { done: 'deleted notifications', attempted: 'delete notifications' },
  deleteNotification: { done: 'deleted a notification', attempted: 'delete a notification' },
}

/** The acts under a scope by their operation, in words. */
export const acts: Readonly<Record<string, Words>> = {
  blockAsset: { done: 'blocked an asset', attempted: 'block an asset', before: 'of' },
  unblockAsset: { done: 'unblocked an asset', attempted: 'unblock an asset', before: 'of' },
  blockFile: { done: 'blocked a file or folder', attempted: 'block a file or folder', before: 'of' },
  unblockFile: { done: 'unblocked a file or folder', attempted: 'unblock a file or folder', before: 'of' },
  openCase: { done: 'opened a case', attempted: 'open a case', before: 'about' },
  getCaseContent: { done: 'opened content', attempted: 'open content', before: 'of' },
  decide: { done: 'decided about a case', attempted: 'decide about a case', before: 'of' },
  liftDecision: { done: 'lifted a decision', attempted: 'lift a decision', before: 'about' },
  answerAppeal: { done: 'answered an appeal', attempted: 'answer an appeal', before: 'in a case of' },
  setQuotaOfUser: { done: 'set the quota', attempted: 'set the quota', before: 'of' },
  eraseUser: { done: 'erased', attempted: 'erase' },
  createRecall: { done: 'recalled saves', attempted: 'recall saves' },
  endRecall: { done: 'ended a recall of saves', attempted: 'end a recall of saves' },
  publishAnnouncement: { done: 'announced to all players', attempted: 'announce to all players' },
  deleteAnnouncement: { done: 'ended an announcement', attempted: 'end an announcement' },
  resendEvents: { done: 'had events sent again', attempted: 'have events sent again' },
  discardEvents: { done: 'discarded events', attempted: 'discard events' },
  reconcilePage: { done: 'repaired rows and contents', attempted: 'repair rows and contents' },
  writeCatalogue: { done: 'had the catalogue written anew', attempted: 'have the catalogue written anew' },
  movePartitions: { done: 'moved players to a database', attempted: 'move players to a database' },
  undoMove: { done: 'undid a move of players', attempted: 'undo a move of players' },
  ...Object.fromEntries(
    Object.entries(forPlayer).map(([operation, words]) => [operation, { ...words, before: 'for' }]),
  ),
}

/** The words for reading on behalf of a player, which is one entry an hour, whatever was read. */
const reading: Words = { done: 'looked at what is there', attempted: 'look at what is there', before: 'for' }

/** How an act ended. Of one that was cut off, or whose database did not answer, nobody knows whether it took effect. */
export type Outcome = 'done' | 'refused' | 'unknown'

export function outcomeOf({ status }: Pick<Act, 'status'>): Outcome {
  if (status === null || status >= 500) return 'unknown'
  return status < 400 ? 'done' : 'refused'
}

/** What somebody did, up to the player whom it concerns: `blocked an asset of`. */
export function whatWasDone(entry: Act): string {
  const unknown = { done: `sent ${entry.action}`, attempted: `send ${entry.action}`, before: 'about' }
  const words = entry.scope === 'players:read' ? reading : (acts[entry.action] ?? unknown)
  const what = outcomeOf(entry) === 'done' ? words.done : `tried to ${words.attempted}`
  return entry.user_id !== null && words.before !== undefined ? `${what} ${words.before}` : what
}
