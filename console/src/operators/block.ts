import type { Client, components } from 'edge-game-storage-client'

export type BlockedKind = components['schemas']['BlockedContent']['kind']

/** The kinds of what can be blocked, in words. */
export const kinds: Record<BlockedKind, string> = { files: 'File or folder', assets: 'Game asset' }

/** Blocks a file or an asset: only its owner sees it. An empty reason leaves an earlier one. @throws ServiceError */
export function blockThing(client: Client, kind: BlockedKind, id: string, reason: string) {
  const given = { id, ...(reason !== '' && { reason }) }
  return kind === 'files' ? client.blockFile(given) : client.blockAsset(given)
}

/** Ends a block. @throws ServiceError */
export function unblockThing(client: Client, kind: BlockedKind, id: string) {
  return kind === 'files' ? client.unblockFile({ id }) : client.unblockAsset({ id })
}
