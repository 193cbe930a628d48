import { ApiError, type InvalidMember } from '../errors.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** The largest content of each kind, in bytes (decisions, "Uploads"). */
const largest = {
  file: 5 * GIB,
  chat_attachment: 5 * GIB,
  profile_pic: 10 * MIB,
  emote: MIB,
  world: 5 * GIB,
  avatar: GIB,
  prop: GIB,
} as const

/** What content can be: a type of file that is not a folder, or of game asset. */
export type ContentKind = keyof typeof largest

/** The types of content that are pictures, shown by every client: these formats only, and checked. */
const pictureFormats: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Whether content of this kind has to be a picture. */
export function isPicture(kind: string): boolean {
  return kind === 'profile_pic' || kind === 'emote'
}

/** What a client declares of the content that it is going to send. */
interface Declared {
  size_bytes: number
  mime_type: string
}

/**
 * Why content like this can't be of that kind: VALIDATION_FAILED for its type or for being empty, UPLOAD_TOO_LARGE;
 * undefined when it can.
 */
export function contentError(kind: ContentKind, declared: Declared): ApiError | undefined {
  const errors = [...faultsOf(kind, declared)]
  if (errors.length > 0)
    return new ApiError('VALIDATION_FAILED', {
      detail: errors.map(({ path, message }) => `${path.slice(1)}: ${message}`).join(' '),
      errors,
    })
  if (declared.size_bytes > largest[kind])
    return new ApiError('UPLOAD_TOO_LARGE', {
      detail: `Content of type ${kind} may have at most ${largest[kind]} bytes.`,
    })
  return undefined
}

function* faultsOf(kind: ContentKind, { size_bytes, mime_type }: Declared): Generator<InvalidMember> {
  if (isPicture(kind) && !pictureFormats.includes(mime_type))
    yield { in: 'body', path: '/mime_type', message: `must be one of ${pictureFormats.join(', ')}.` }
  if (size_bytes === 0 && kind !== 'file' && kind !== 'chat_attachment')
    yield { in: 'body', path: '/size_bytes', message: 'must be at least 1.' }
}

const kinds: ContentKind[] = ['file', 'chat_attachment', 'profile_pic', 'emote', 'world', 'avatar', 'prop']

/** The kinds that content like this can be of. */
export function kindsThatTake(declared: Declared): ContentKind[] {
  return kinds.filter((kind) => contentError(kind, declared) === undefined)
}
