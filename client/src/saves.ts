/** Saves alone, for a game that keeps nothing else here. */
import type { ClientOptions } from './options.ts'
import { Saves } from './saves/saves.ts'
import { Transport } from './transport.ts'

export type { ByteArray, BytesSource } from './bytes.ts'
export {
  type ClientErrorCode,
  type ErrorCode,
  EtagStrippedError,
  GameStorageError,
  NetworkError,
  ServiceError,
} from './errors.ts'
export type { ChangeOptions, ClientOptions, RequestOptions, RetryOptions } from './options.ts'
export type { ListedSave, Save, SaveList, SaveOfHistory, SaveRevisionList } from './records.ts'
export { SaveConflict, WriteConflict } from './saves/conflict.ts'
export { indexedDbStore } from './saves/offline/indexed-db.ts'
export type {
  OfflineEvents,
  OfflineOptions,
  OfflineSave,
  OfflineSaves,
} from './saves/offline/offline-saves.ts'
export type { RefusedSave } from './saves/offline/sender.ts'
export type { SaveStore } from './saves/offline/store.ts'
export {
  isReadOnlySlot,
  type NewSave,
  type Resolution,
  type SaveContent,
  type SaveDetails,
} from './saves/save.ts'
export type { SaveChangeOptions, Saves, SaveWriteOptions } from './saves/saves.ts'
export type { ReadSave } from './saves/service.ts'
export type { TokenSource } from './token.ts'

/**
 * What `client.saves` is, without the rest of the client.
 *
 * @example
 * const saves = createSaves({ baseUrl: 'https://storage.example.com', token })
 * await saves.write({ slot: 'auto', bytes, label: 'The harbour' })
 *
 * @throws TypeError when `baseUrl` is missing, is no http(s) URL, or ends in `/v1`; when `token` is missing
 */
export function createSaves(options: ClientOptions): Saves {
  return new Saves(new Transport(options))
}
