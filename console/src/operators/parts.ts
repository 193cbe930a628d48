import type { Scope } from '../session/scopes.ts'

/** The parts of the screen by the first segment of their address, each with the scope that it needs. */
export const parts = {
  users: { title: 'Players', scope: undefined },
  moderation: { title: 'Moderation', scope: 'content:moderate' },
  blocks: { title: 'Blocks', scope: 'content:moderate' },
  announcements: { title: 'Announcements', scope: 'announcements:publish' },
  recalls: { title: 'Recalls', scope: 'saves:recall' },
  events: { title: 'Events', scope: 'events:manage' },
  databases: { title: 'Databases', scope: 'shards:move' },
  audit: { title: 'What was done', scope: 'audit:read' },
  job: { title: 'The job', scope: 'job:read' },
} as const satisfies Record<string, { title: string; scope: Scope | undefined }>

export type Part = keyof typeof parts

export function isPart(name: string | undefined): name is Part {
  return name !== undefined && Object.hasOwn(parts, name)
}

export const partNames: readonly Part[] = Object.keys(parts).filter(isPart)
