import type { BlockedKind, Studio } from 'edge-game-storage-client/studio'

/** The kinds of what can be blocked, in words. */
export const kinds: Record<BlockedKind, string> = { files: 'File or folder', assets: 'Game asset' }

/** Blocks a file or an asset: only its owner sees it. An empty reason leaves an earlier one. @throws ServiceError */
export function blockThing({ moderation }: Studio, kind: BlockedKind, id: string, reason: string) {
  const given = { id, ...(reason !== '' && { reason }) }
  return kind === 'files' ? moderation.blockFile(given) : moderation.blockAsset(given)
}

/** Ends a block. @throws ServiceError */
export function unblockThing({ moderation }: Studio, kind: BlockedKind, id: string) {
  return kind === 'files' ? moderation.unblockFile({ id }) : moderation.unblockAsset({ id })
}
