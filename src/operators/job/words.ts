import type { Counts, JobState } from '../../platform/jobs/history.ts'

/** What each task of the job has done, in words for one and for several: `#` is the number (docs/operating.md). */
export const taskWords = {
  users_erased: ['# step of erasing a player', '# steps of erasing players'],
  uploads_expired: ['# expired upload removed', '# expired uploads removed'],
  trash_emptied: [
    '# item of an emptied trash marked for deletion',
    '# items of emptied trash marked for deletion',
  ],
  trash_expired: [
    '# old item in the trash marked for deletion',
    '# old items in the trash marked for deletion',
  ],
  rows_purged: ['# deleted item removed for good', '# deleted items removed for good'],
  assets_expired: ['# old deleted asset marked for deletion', '# old deleted assets marked for deletion'],
  assets_purged: ['# asset or version removed for good', '# assets and versions removed for good'],
  shares_flagged: ['# expired share taken off its list', '# expired shares taken off their lists'],
  shares_deleted: ['# old share removed', '# old shares removed'],
  shares_notified: ['# player told of a share', '# players told of shares'],
  catalogue_applied: ['# asset updated in the catalogue', '# assets updated in the catalogue'],
  catalogue_assets_checked: ['# asset corrected in the catalogue', '# assets corrected in the catalogue'],
  catalogue_entries_checked: ['# entry of the catalogue corrected', '# entries of the catalogue corrected'],
  catalogue_owners_checked: ['# hidden owner looked at', '# hidden owners looked at'],
  catalogue_rows_removed: ['# old entry of the catalogue removed', '# old entries of the catalogue removed'],
  mutes_copied: [
    'muted players of # player passed to the inbox',
    'muted players of # players passed to the inboxes',
  ],
  favorites_counted: ['favorites of # asset counted', 'favorites of # assets counted'],
  measures_applied: ['# measure of a moderator applied', '# measures of moderators applied'],
  assets_hidden: ['# asset that many have reported hidden', '# assets that many have reported hidden'],
  notices_sent: ['# player told of a decision', '# players told of decisions'],
  cases_deleted: ['# old case removed', '# old cases removed'],
  hints_checked: ['# link to shared files looked at', '# links to shared files looked at'],
  branch_hints_checked: ['# link to branches looked at', '# links to branches looked at'],
  markers_checked: ['# marker of shared content looked at', '# markers of shared content looked at'],
  objects_removed: ['# stored content removed', '# stored contents removed'],
  objects_checked: ['# stored content looked at', '# stored contents looked at'],
  uploads_deleted: ['# old record of an upload removed', '# old records of uploads removed'],
  keys_deleted: ['# old record of a request removed', '# old records of requests removed'],
  events_discarded: ['# old undelivered event removed', '# old undelivered events removed'],
  parts_counted: ['storage of # player counted', 'storage of # players counted'],
  recall_reports_deleted: ['# old report of a recall removed', '# old reports of recalls removed'],
  audit_deleted: ['# old entry of what was done removed', '# old entries of what was done removed'],
} as const satisfies Record<string, readonly [one: string, many: string]>

/** The name of a task that has words. */
export type WordedTask = keyof typeof taskWords

/**
 * What the job changed as the beginning of a sentence: "2 expired uploads removed, 4 stored contents removed". '' for nothing: what it
 * only looked at is left out.
 */
export function inWords(counts: Counts): string {
  return Object.entries(counts)
    .map(([task, count]) => {
      const number = count.toLocaleString('en')
      if (!isWorded(task)) return `${task.replaceAll('_', ' ')}: ${number}`
      const [one, many] = taskWords[task]
      return (count === 1 ? one : many).replace('#', number)
    })
    .filter((words) => !words.endsWith('looked at'))
    .join(', ')
}

/** What waits, as a sentence without its full stop. */
export const stateWords: Record<JobState, string> = {
  done: 'Nothing waits',
  backlog: 'More waits, and the next run follows at once',
  failed: 'A part failed and waits for the next run',
  moving: 'The job waits until players are moved to another database',
  off: 'The job is switched off, so everything waits',
}

function isWorded(task: string): task is WordedTask {
  return Object.hasOwn(taskWords, task)
}
