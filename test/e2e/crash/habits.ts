import type { Actor } from './actor.ts'
import { offers } from './offers.ts'
import { purposes } from './sending.ts'
import type { Step } from './step.ts'

/** What has to be done first, when there is nothing to do an act to. */
const needs: Record<string, string> = {
  ...Object.fromEntries(
    purposes.flatMap((purpose) => [
      [`complete ${purpose}`, `send ${purpose}`],
      [`abort ${purpose}`, `send ${purpose}`],
      [`send ${purpose}`, `start ${purpose}`],
    ]),
  ),
  'start replacement': 'complete file',
  'start version': 'create an asset',
  'change an item': 'create a folder',
  move: 'create a folder',
  delete: 'complete file',
  restore: 'delete',
  purge: 'delete',
  'empty the trash': 'delete',
  share: 'complete file',
  revoke: 'share',
  'send late': 'abort file',
  'change an asset': 'create an asset',
  'delete an asset': 'complete asset',
  'restore an asset': 'delete an asset',
  'purge an asset': 'complete asset',
  branch: 'complete asset',
  'roll back': 'complete asset',
  'delete a version': 'roll back',
  'edit a page': 'create an asset',
  'set a preview': 'create an asset',
  'delete a preview': 'set a preview',
  'add a favorite': 'create an asset',
  'remove a favorite': 'add a favorite',
  read: 'publish',
  'delete a notification': 'publish',
  'delete notifications': 'publish',
}

/** How often an actor that is free does what. */
const habits: [kind: string, weight: number][] = [
  ...purposes.flatMap((purpose): [string, number][] => {
    const rarely = purpose === 'parts' ? 0.1 : 1
    return [
      [`start ${purpose}`, rarely * (purpose === 'file' ? 3 : 1)],
      [`send ${purpose}`, 5],
      [`complete ${purpose}`, 4],
      [`abort ${purpose}`, 0.7],
    ]
  }),
  ['create a folder', 2],
  ['change an item', 2],
  ['move', 2],
  ['delete', 2],
  ['restore', 1],
  ['purge', 1],
  ['empty the trash', 0.2],
  ['share', 2],
  ['revoke', 1],
  ['send late', 0.2],
  ['create an asset', 1],
  ['change an asset', 1],
  ['delete an asset', 0.7],
  ['restore an asset', 0.5],
  ['purge an asset', 0.7],
  ['branch', 1.5],
  ['roll back', 1],
  ['delete a version', 0.7],
  ['edit a page', 1],
  ['set a preview', 1],
  ['delete a preview', 0.4],
  ['add a favorite', 1],
  ['remove a favorite', 0.5],
  ['publish', 4],
  ['read', 2],
  ['delete a notification', 2],
  ['delete notifications', 1],
  ['run the job', 0.3],
  ['erase', 0.3],
]

/** What an actor does when there is too much of everything. */
const tidying: [kind: string, weight: number][] = [
  ['delete', 3],
  ['purge', 3],
  ['empty the trash', 1],
  ['purge an asset', 2],
  ['delete a notification', 2],
]

/** Something that an actor can do now, taken at random. */
export async function anything(actor: Actor): Promise<Step | undefined> {
  const { items, assets, inboxes } = actor.model
  const isTooMuch = items.size > 30 || assets.size > 15 || (inboxes.get(actor.user)?.notices.length ?? 0) > 40
  return offers[actor.weighted(isTooMuch ? [...tidying, ...tidying, ...habits] : habits)]?.(actor)
}

/** A step of a kind, after doing whatever has to be done first. Undefined when the server is killed meanwhile. */
export async function prepared(actor: Actor, kind: string): Promise<Step | undefined> {
  while (!actor.run.power.isOff) {
    const step = offers[kind]?.(actor)
    if (step) return step
    const need = needs[kind]
    if (need === undefined) throw new Error(`nothing leads to "${kind}"`)
    const first = await prepared(actor, need)
    if (first) await actor.perform(first)
  }
  return undefined
}
