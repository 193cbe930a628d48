import type { Config } from '../../platform/config/variables.ts'
import type { Picture } from '../../platform/pictures/formats.ts'
import { type PictureType, pictureTypes, previewTypes } from '../../platform/pictures/types.ts'

/** What the pictures of a kind may be. Whoever shows one unpacks it, and a few kilobytes may unpack to gigabytes. */
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
export const profilePicture: PictureLimits = {
  types: pictureTypes,
  max_pixels: MAX_SMALL_PIXELS,
  max_animation_pixels: 0,
}
export const emote: PictureLimits = {
  types: pictureTypes,
  max_pixels: MAX_SMALL_PIXELS,
  max_animation_pixels: 33_554_432,
}

/** The most bits of a channel. */
const MAX_DEPTH = 8

/**
 * Why what `readPicture` answers is no picture of a kind, as a message for the client; undefined when it is. `declared`: the MIME
 * type that was declared.
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
