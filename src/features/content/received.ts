import type { ReceivedBytes, RequestContext } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { noFormat, type Picture } from '../../platform/pictures/formats.ts'
import { readPicture } from '../../platform/pictures/read.ts'
import { isCheckedKind } from '../uploads/checked-kinds.ts'
import { type ContentKind, contentError, contentKinds, isPictureType } from '../uploads/content-kinds.ts'
import { pictureFailure } from '../uploads/picture-limits.ts'
import { contentMetadata } from './store.ts'

/** Content as a request sends it. */
export interface SentContent extends ReceivedBytes {
  mime_type: string
}

/** Content, and what a picture says of itself. */
export interface ReceivedContent extends SentContent {
  size_bytes: number
  /** Of content that is declared as a picture: what it says of itself, or why it is none that is taken. */
  picture: Picture | string
}

/** Recognises a picture. @throws VALIDATION_FAILED without a digest where uploads require a checksum */
export async function receive(
  { config }: Pick<RequestContext, 'config'>,
  sent: SentContent,
): Promise<ReceivedContent> {
  const { bytes, mime_type, is_declared } = sent
  if (config.REQUIRE_CHECKSUM && !is_declared)
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'Content-Digest is required here.',
      errors: [{ in: 'header', path: '/content-digest', message: 'must be like sha-256=:BASE64:' }],
    })
  const picture = isPictureType(mime_type) ? await readPicture(bytes) : noFormat
  return { ...sent, size_bytes: bytes.byteLength, picture }
}

/** The content of a file as it is stored. R2 compares the digest with what arrives there, and keeps it. */
export function storedAs({ bytes, mime_type, digest }: ReceivedContent, file_id: string, name?: string) {
  return { bytes, options: { ...contentMetadata(file_id, mime_type, name), sha256: digest } }
}

const inRequest = {
  mime_type: { in: 'header', path: '/content-type' },
  size_bytes: { in: 'body', path: '' },
} as const

/**
 * Why content can't become that of a file of this kind in one request: VALIDATION_FAILED, UPLOAD_TOO_LARGE, UPLOAD_REQUIRED,
 * UPLOAD_MISMATCH; undefined when it can.
 */
export function kindError(
  { check, config }: Pick<RequestContext, 'check' | 'config'>,
  kind: ContentKind,
  content: ReceivedContent,
): ApiError | undefined {
  const { mime_type, picture } = content
  const error = contentError(kind, content, inRequest)
  if (error) return error
  if (check && isCheckedKind(check, kind, mime_type))
    return new ApiError('UPLOAD_REQUIRED', { detail: `Content of type ${kind} is checked here first.` })
  const limits = contentKinds[kind].picture
  const failure = limits && pictureFailure(config, limits, picture, mime_type)
  return failure === undefined ? undefined : new ApiError('UPLOAD_MISMATCH', { detail: failure })
}
