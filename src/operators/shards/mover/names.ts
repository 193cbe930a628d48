/**
 * The stages of a move:
 *
 * - `begin`: freeze the partitions in the source
 * - `users`: list the users who are moved
 * - `copy`: copy rows
 * - `compare`: compare the copies with the rows
 * - `close`: hand the partitions over, and open them in the target
 * - `remove`: remove the rows from the source
 * - `undo`: open the partitions in the source again, and remove the rows from the target
 */
export const moveStages = ['begin', 'users', 'copy', 'compare', 'close', 'remove', 'undo'] as const
export type Stage = (typeof moveStages)[number]
