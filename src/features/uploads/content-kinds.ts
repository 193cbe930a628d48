import type { Config } from '../../platform/config/variables.ts'
import type { ContentCheck } from '../../platform/context.ts'
import { fileTypes, type GameAssetType, gameAssetTypes } from '../../platform/db/enumerations.ts'
import { ApiError, type InvalidMember } from '../../platform/errors.ts'
import { GIB, MIB } from '../../platform/lib/units.ts'
import {
  type Picture,
  type PictureType,
  pictureTypes,
  previewTypes,
} from '../../platform/pictures/formats.ts'
import type { FileRow } from '../files/row.ts'

/** The limits of the pictures of a kind. A client unpacks a picture to show it, and a few kilobytes may unpack to gigabytes. */
export interface PictureLimits {
  types: readonly PictureType[]
  /** The most pixels, unless MAX_PICTURE_PIXELS is less. */
  max_pixels: number
  /** The most pixels of all frames of an animation together; 0: the kind has no animations. */
  max_animation_pixels: number
}

const MAX_SMALL_PIXELS = 1_048_576

export const preview: PictureLimits = {
  types: previewTypes,
  max_pixels: Number.POSITIVE_INFINITY,
  max_animation_pixels: 0,
}
const profilePicture: PictureLimits = {
  types: pictureTypes,
  max_pixels: MAX_SMALL_PIXELS,
  max_animation_pixels: 0,
}
const emote: PictureLimits = {
  types: pictureTypes,
  max_pixels: MAX_SMALL_PIXELS,
  max_animation_pixels: 33_554_432,
}

/** The kind of content: the type of a file, or of a game asset. */
export type ContentKind = (typeof fileTypes)[number] | GameAssetType

/** The limits of each kind (docs/conformance.md#uploads). Every client shows pictures, so their bytes are inspected. */
export const contentKinds: Record<
  ContentKind,
  { max_bytes: number; mayBeEmpty?: true; picture?: PictureLimits }
> = {
  file: { max_bytes: 5 * GIB, mayBeEmpty: true },
  chat_attachment: { max_bytes: 5 * GIB, mayBeEmpty: true },
  profile_pic: { max_bytes: 10 * MIB, picture: profilePicture },
  emote: { max_bytes: MIB, picture: emote },
  world: { max_bytes: 5 * GIB },
  avatar: { max_bytes: GIB },
  prop: { max_bytes: GIB },
}

/** The size and the type that a client declares for content. */
interface Declared {
  size_bytes: number
  mime_type: string
}

/** The members of a request that declare the size and the type of content. */
type DeclaringMembers = Record<keyof Declared, Omit<InvalidMember, 'message'>>

const inBody: DeclaringMembers = {
  mime_type: { in: 'body', path: '/mime_type' },
  size_bytes: { in: 'body', path: '/size_bytes' },
}

/**
 * Why declared content can't be of a kind: VALIDATION_FAILED for a type that the kind excludes or for no bytes,
 * UPLOAD_TOO_LARGE for too many; undefined when it can.
 */
export function contentError(kind: ContentKind, declared: Declared, members = inBody): ApiError | undefined {
  const errors = [...invalidMembers(kind, declared, members)]
  if (errors.length > 0)
    return new ApiError('VALIDATION_FAILED', {
      detail: errors.map((error) => `${error.path.slice(1) || error.in}: ${error.message}`).join(' '),
      errors,
    })
  const { max_bytes } = contentKinds[kind]
  if (declared.size_bytes > max_bytes)
    return new ApiError('UPLOAD_TOO_LARGE', {
      detail: `Content of type ${kind} may have at most ${max_bytes} bytes.`,
    })
  return undefined
}

/** Whether a MIME type is that of a picture which every client shows. */
export function isPictureType(mime_type: string): boolean {
  return pictureTypes.some((type) => type === mime_type)
}

function* invalidMembers(
  kind: ContentKind,
  { size_bytes, mime_type }: Declared,
  members: DeclaringMembers,
): Generator<InvalidMember> {
  const { picture, mayBeEmpty } = contentKinds[kind]
  if (picture && !picture.types.some((type) => type === mime_type))
    yield { ...members.mime_type, message: `must be one of ${picture.types.join(', ')}.` }
  if (size_bytes === 0 && !mayBeEmpty) yield { ...members.size_bytes, message: 'must be at least 1.' }
}

/** The kinds that the declared content can be of. */
export function kindsFor(declared: Declared): ContentKind[] {
  return [...fileTypes, ...gameAssetTypes].filter((kind) => contentError(kind, declared) === undefined)
}

/**
 * Why new content can't replace the content of a file; undefined when it can. `errorOf` is why the content can't be of a kind.
 */
export function replacementError(
  { asset_type, processing_state }: Pick<FileRow, 'asset_type' | 'processing_state'>,
  errorOf: (kind: ContentKind) => ApiError | undefined,
): ApiError | undefined {
  if (asset_type === 'folder') return new ApiError('FILE_IS_FOLDER')
  const error = errorOf(asset_type)
  if (error || processing_state === 'ready' || processing_state === 'failed') return error
  return new ApiError('FILE_NOT_READY', {
    detail: 'Complete or abort the first upload of the file.',
  })
}

/** The most bits of a channel. */
const MAX_DEPTH = 8

/**
 * Why a result of `readPicture` is no picture of a kind, as a message for the client; undefined when it is one. `declared`: the
 * MIME type that was declared.
 */
export function pictureFailure(
  { MAX_PICTURE_PIXELS }: Pick<Config, 'MAX_PICTURE_PIXELS'>,
  { types, max_pixels, max_animation_pixels }: PictureLimits,
  picture: Picture | string,
  declared?: string,
): string | undefined {
  if (typeof picture === 'string') return picture
  const { mime_type, width, height, depth, isAnimated, frames } = picture
  if (declared !== undefined && mime_type !== declared)
    return `${declared} was declared, the first bytes are of ${mime_type}.`
  if (!types.includes(mime_type))
    return `The first bytes are of ${mime_type}, and not of ${types.join(', ')}.`
  const most = Math.min(max_pixels, MAX_PICTURE_PIXELS)
  if (width * height > most) return `At most ${most} pixels are taken. This picture has ${width} × ${height}.`
  if (depth > MAX_DEPTH)
    return `At most ${MAX_DEPTH} bits a channel are taken. This picture has ${depth} bits.`
  if (!isAnimated) return undefined
  if (max_animation_pixels === 0) return 'This picture is animated. Only an emote may be.'
  if (width * height * frames > max_animation_pixels)
    return `All frames together have at most ${max_animation_pixels} pixels. This picture has ${frames} frames of ${width} × ${height}.`
  return undefined
}

/** The declared content of an upload that is to be completed. */
interface Arrived {
  upload: { mime_type: string; asset_type: string | null; check_state: string | null }
  file: Pick<FileRow, 'asset_type'> | undefined
  asset: { type: string } | undefined
}

/** The value of CONTENT_CHECK_KINDS for all content. */
const ALL = '*'

/**
 * Whether content has to be checked before it is ready: its verdict has not come, and CONTENT_CHECK_KINDS has its kind, its
 * MIME type, or the group of its MIME type.
 */
export function mustBeChecked({ check }: { check: ContentCheck | undefined }, arrived: Arrived): boolean {
  const { upload, file, asset } = arrived
  if (!check || upload.check_state === 'ready') return false
  return isCheckedKind(check, file?.asset_type ?? upload.asset_type ?? asset?.type, upload.mime_type)
}

/** Whether CONTENT_CHECK_KINDS has this kind, this MIME type, or the group of this MIME type. */
export function isCheckedKind(check: ContentCheck, kind: string | undefined, mime_type: string): boolean {
  const group = mime_type.replace(/\/.*/, '/*')
  return check.kinds.some((one) => one === ALL || one === kind || one === mime_type || one === group)
}
