/** The members of an entry that say what was done. */
interface Act {
  action: string
  user_id: string | null
  status: number | null
}

/** What an act was, in words: `mod-7 blocked an asset`, and `mod-7 tried to block an asset`. */
interface Words {
  done: string
  attempted: string
  /** The word before the player whom it concerns: `blocked an asset of Ada`. */
  before?: string
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
  makeRecall: { done: 'recalled saves', attempted: 'recall saves' },
  endRecall: { done: 'ended a recall of saves', attempted: 'end a recall of saves' },
  publishAnnouncement: { done: 'announced to all players', attempted: 'announce to all players' },
  deleteAnnouncement: { done: 'ended an announcement', attempted: 'end an announcement' },
  resendEvents: { done: 'had events sent again', attempted: 'have events sent again' },
  discardEvents: { done: 'discarded events', attempted: 'discard events' },
  reconcilePage: { done: 'repaired rows and contents', attempted: 'repair rows and contents' },
  writeCatalogue: { done: 'had the catalogue written anew', attempted: 'have the catalogue written anew' },
  movePartitions: { done: 'moved players to a database', attempted: 'move players to a database' },
  undoMove: { done: 'undid a move of players', attempted: 'undo a move of players' },
}

/** How an act ended. Of one that was cut off, or whose database did not answer, nobody knows whether it took effect. */
export type Outcome = 'done' | 'refused' | 'unknown'

export function outcomeOf({ status }: Pick<Act, 'status'>): Outcome {
  if (status === null || status >= 500) return 'unknown'
  return status < 400 ? 'done' : 'refused'
}

/** What somebody did, up to the player whom it concerns: `blocked an asset of`. */
export function whatWasDone(entry: Act): string {
  const words = acts[entry.action] ?? {
    done: `sent ${entry.action}`,
    attempted: `send ${entry.action}`,
    before: 'about',
  }
  const what = outcomeOf(entry) === 'done' ? words.done : `tried to ${words.attempted}`
  return entry.user_id !== null && words.before !== undefined ? `${what} ${words.before}` : what
}
