import { fileTypes, type GameAssetType, gameAssetTypes } from '../../platform/db/enumerations.ts'
import { ApiError, type InvalidMember } from '../../platform/errors.ts'
import { GIB, MIB } from '../../platform/lib/byte-units.ts'
import { pictureTypes } from '../../platform/pictures/types.ts'
import { emote, type PictureLimits, profilePicture } from './picture-limits.ts'

/** The kind of content: the type of a file, or of a game asset. */
export type ContentKind = (typeof fileTypes)[number] | GameAssetType

/** The limits of each kind (docs/conformance.md#uploads). Every client shows pictures, so their bytes are looked at. */
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

/** What a client declares about the content that it is going to send. */
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
