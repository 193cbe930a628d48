/** The scopes that the console has a use for, and what each allows. A player's token has none. */
export const scopes = {
  'notifications:publish': 'publish notifications, as the social service',
  'announcements:publish': 'announce to all users',
  'content:moderate': 'block content, as a moderator',
  'users:read': 'find users, as support',
  'quota:write': 'set quotas',
  'users:erase': 'erase users',
  'events:manage': 'send events again',
  'job:read': 'see what the job did',
  'shards:move': 'see the databases',
} as const

export type Scope = keyof typeof scopes
