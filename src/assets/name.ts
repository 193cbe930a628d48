import { z } from '@hono/zod-openapi'
import { reject } from '../http/validation.ts'
import { isMisleading, isVisible } from '../lib/visible-text.ts'

const MAX_CODE_POINTS = 255

/**
 * An asset's name in a request (decisions, "Game assets"): in NFC and trimmed, then 1–255 code points, of which some
 * can be seen and none controls how the others are shown. ASSET_NAME_REQUIRED, ASSET_NAME_TOO_LONG or
 * VALIDATION_FAILED when it is not allowed, or missing.
 */
export const AssetName = z
  .unknown()
  .transform((input, context) => {
    if (typeof input !== 'string') return reject(context, 'ASSET_NAME_REQUIRED', 'Send a name, as a string.')
    if (!input.isWellFormed())
      return reject(context, 'ASSET_NAME_REQUIRED', 'A name may not hold half of a surrogate pair.')
    const name = input.normalize('NFC').trim()
    if (!isVisible(name))
      return reject(context, 'ASSET_NAME_REQUIRED', 'A name needs a character that can be seen.')
    if (isMisleading(name))
      return reject(
        context,
        'VALIDATION_FAILED',
        'A name may not contain control characters, or characters that turn the writing direction.',
      )
    if ([...name].length > MAX_CODE_POINTS)
      return reject(
        context,
        'ASSET_NAME_TOO_LONG',
        `A name may have at most ${MAX_CODE_POINTS} characters (code points).`,
      )
    return name
  })
  .openapi({
    type: 'string',
    minLength: 1,
    maxLength: MAX_CODE_POINTS,
    description:
      'Stored in Unicode NFC and trimmed; some of it must be visible; no control or bidirectional control characters; unique among the owner’s assets that are not deleted',
    example: 'Castle',
  })
