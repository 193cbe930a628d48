/** A change of a part that code of the previous release writes to, and why that code notices nothing of it. */
export interface Change {
  /** The migration that made it. A later one that changes the part again needs an entry of its own. */
  migration: string
  parts: readonly string[]
  reason: string
}

/** Every difference from the previous release that is not a new table, column or index. Empty after a release. */
export const changes: readonly Change[] = [
  {
    migration: '0005_profiles.sql',
    parts: ['trigger files.files_after_delete_remove_profile'],
    reason:
      'It removes a row of the new table `profiles` with the picture that the row names, and refuses nothing. So a purge or an erasure by code of the previous release leaves no profile behind.',
  },
]
