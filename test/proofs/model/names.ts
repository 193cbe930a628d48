import type { World } from './state.ts'

/** Whether a live asset of the user's has the name; but for one. */
export function isTaken(world: World, user_id: string, name: string | undefined, but?: string): boolean {
  return [...world.assets.values()].some(
    (asset) =>
      asset.owner_id === user_id && asset.name === name && asset.deleted_at === null && asset.id !== but,
  )
}
