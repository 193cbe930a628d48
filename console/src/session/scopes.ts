/** All scopes, by who needs them, and what each allows. A player's token has none. */
export const scopeGroups = {
  'Talk to players': {
    'notifications:publish': 'Publish notifications to any user',
    'announcements:publish': 'Announce to all users',
  },
  'Moderate and help': {
    'content:moderate': 'Decide about reports, and block content',
    'players:read': 'Read what any player has, on their behalf',
    'players:write': 'Do what any player can, on their behalf',
    'audit:read': 'See what was done, by whom, and why',
    'users:read': 'Find a user, and see how much they have',
    'quota:write': 'See and change how much a user may store',
    'users:erase': 'Erase a user with all they have',
  },
  'Operate the service': {
    'saves:read': 'Read the saves of any player, as a server does',
    'saves:write': 'Write the saves of any player, as a server does',
    'saves:recall': 'Take the saves of all players back to before a time',
    'events:manage': 'Send undelivered events again',
    'job:read': 'See what the job did, and what waits',
    'shards:move': 'See databases, and move users',
    'content:check': 'Accept or reject uploads',
    'content:reconcile': 'Repair after going back in time',
  },
} as const

type Groups = typeof scopeGroups

export type Scope = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups]

/** What each scope allows. */
export const scopes: Readonly<Record<Scope, string>> = {
  ...scopeGroups['Talk to players'],
  ...scopeGroups['Moderate and help'],
  ...scopeGroups['Operate the service'],
}

/** The name of a scope's permission in words; a scope of another service as it is. */
export function permission(scope: string): string {
  return new Map<string, string>(Object.entries(scopes)).get(scope) ?? scope
}
