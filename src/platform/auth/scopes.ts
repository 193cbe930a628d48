/** The scopes of tokens for the studio's services and moderators, with what each allows. A player's token needs none. */
export const scopes = {
  'announcements:publish': 'announce to all users, list announcements, and end them',
  'audit:read': 'see what was done under a scope: by whom, to whom, when and why',
  'content:check': 'say whether uploaded content may be used',
  'content:moderate':
    'see what players report, decide about it and answer appeals; block and unblock files and game assets, and list those that are blocked',
  'content:reconcile':
    'compare records and stored content after going back in time, and repair the differences',
  'events:manage': 'see the events that were not delivered, have them sent again, and discard them',
  'job:read': 'see what the scheduled job did, and what waits',
  'notifications:publish': 'publish notifications to any user',
  'players:read': 'read what any player has, on their behalf',
  'players:write': 'do what any player can do, on their behalf',
  'quota:write': 'read and set the quota of any user',
  'saves:read': 'read any player’s saves, those of the studio’s servers included',
  'saves:recall': 'take the saves of all players back to before a time, and see how far that is',
  'saves:write': 'write any player’s saves, those of the studio’s servers included; includes saves:read',
  'shards:move': 'see which database has which users, and move users to another database',
  'users:erase': 'erase any user',
  'users:read': 'see how much any user has: storage, numbers of files, game assets and notifications',
} as const
/** The name of a scope. */
export type Scope = keyof typeof scopes

/** Whether a text is the name of a scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text)
}
