/** The scopes that the console has a use for, and what each allows. A player's token has none. */
export const scopes = {
  'notifications:publish': 'Publish notifications, as the social service',
  'announcements:publish': 'Announce to all users',
  'content:moderate': 'Block content, as a moderator',
  'users:read': 'Find users, as support',
  'quota:write': 'Set quotas',
  'users:erase': 'Erase users',
  'events:manage': 'Send events again',
  'shards:move': 'See the databases',
} as const

export type Scope = keyof typeof scopes
