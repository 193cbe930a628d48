/**
 * What a move does next:
 *
 * - `begin`: freeze the buckets in the source
 * - `users`: list the users who are moved
 * - `copy`: copy rows
 * - `compare`: compare them
 * - `close`: give the buckets away, and open them in the target
 * - `remove`: remove the rows from the source
 * - `undo`: open the buckets in the source again, and remove the rows from the target
 */
export const moveStages = ['begin', 'users', 'copy', 'compare', 'close', 'remove', 'undo'] as const
export type Stage = (typeof moveStages)[number]
