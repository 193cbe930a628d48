import type { ByteArray } from '../bytes.ts'

/** A version of an asset that a device has. */
export interface InstalledVersion {
  asset_id: string
  version: number
  /** The platform that the content is for; null: for all. */
  platform: string | null
  /** In base64; null when the service has none, as of what was uploaded in parts. */
  checksum_sha256: string | null
  size_bytes: number
}

/**
 * Where a device keeps content: the stores of `indexedDbContent()` and `folderContent()`, or what your platform has. Content has a key
 * (`keyOf`), which is the same for the same bytes, so they are kept once. It is written piece by piece, and is whole once `install` has
 * ended.
 */
export interface ContentStore {
  /** Tells stores apart: two objects of one name are the same store. */
  readonly name: string
  /** Lists what was installed. */
  list(): Promise<InstalledVersion[]>
  /** The size of whole content; undefined: there is none of this key. */
  sizeOf(key: string): Promise<number | undefined>
  /** Whole content; undefined: there is none of this key. */
  read(key: string): Promise<Blob | undefined>
  /** The first bytes of content that is begun, without a gap; empty: none are there. */
  readBegun(version: InstalledVersion): Promise<Blob>
  /** Writes a piece of content that is begun, behind its first `at` bytes. */
  write(version: InstalledVersion, at: number, piece: ByteArray): Promise<void>
  /** Deletes the content of a version, whole or begun. */
  discard(version: InstalledVersion): Promise<void>
  /**
   * Replaces what is installed of an asset in one step: after a crash, either the old or the new is. What is begun of its content becomes
   * whole. The content of the old goes, unless another asset has it.
   */
  install(version: InstalledVersion): Promise<void>
  /** Removes what is installed of an asset, with its content unless another asset has it. */
  remove(asset_id: string): Promise<void>
}

/** The key of content: its checksum, or of content without one the version that it is of. Fit for the name of a file. */
export function keyOf({ asset_id, version, platform, checksum_sha256 }: InstalledVersion): string {
  if (checksum_sha256 !== null)
    return checksum_sha256.replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
  return `${asset_id}_${version}_${platform ?? ''}`
}
