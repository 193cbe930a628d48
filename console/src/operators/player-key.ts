/** The first parts of the query keys of a player's page. */
export function playerKey(user_id: string) {
  return ['player', user_id] as const
}
