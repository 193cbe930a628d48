import type { FileRecord } from 'edge-game-storage-client'
import type { Asset } from '../assets/asset.ts'
import type { Item } from '../files/item.ts'
import type { Ask } from './plan.ts'
import type { Target } from './target.ts'

/** The state of an upload that is not shown. */
export interface Work {
  content: File | undefined
  /** Whether all content has arrived, so that none is needed to resume. */
  hasArrived?: boolean
  /** Whether it is new content of a file that is there. */
  isReplacing?: boolean
  /** Whether it is content of a version that is there, for a platform. */
  isVariant?: boolean
  /** Whether it replaces the content although the file was changed since it began. */
  isForced?: boolean
  /** Creates the folders for the content, and resolves with its target. */
  targetOf: () => Promise<Target>
  /** The Idempotency-Key of its next start. */
  key: string
  upload_id?: string | undefined
  /** The file that is new and has no content before the upload is complete. */
  file_id?: string | undefined
  /** The new file that was complete although the upload had been cancelled. */
  arrived_id?: string | undefined
  ended?: AbortController
  /** Resolves when the current attempt has ended. */
  sent?: Promise<void>
}

/** Callbacks for changes on the service. */
export interface Effects {
  /** A folder was created, or the upload of a file has begun or is complete. */
  onItem: (item: Item) => void
  onRemoved: (file_id: string) => void
  /** The upload of a file has failed for good. */
  onFailed: (file_id: string) => void
  /** An asset has a new version, with this content if the page has it. */
  onVersion: (asset: Asset, content: File | undefined) => void
  /** A version of an asset has content for a further platform. */
  onVariant: (asset: Asset, version: number) => void
  /** No upload is being sent or waiting any more. The files that were completed: new ones, and those with new content. */
  onIdle: (uploaded: readonly FileRecord[], replaced: readonly FileRecord[]) => void
  ask: Ask
  /** A folder has more items than were compared with the chosen names. */
  onCut: () => void
}
