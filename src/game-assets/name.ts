import { z } from '@hono/zod-openapi'
import { refuse } from '../http/validation.ts'

const MAX_CODE_POINTS = 255

/**
 * An asset's name in a request (decisions, "Game assets"): in NFC and trimmed, then 1–255 code points.
 * ASSET_NAME_REQUIRED or ASSET_NAME_TOO_LONG when it is not allowed, or missing.
 */
export const AssetName = z
  .unknown()
  .transform((input, context) => {
    if (typeof input !== 'string') return refuse(context, 'ASSET_NAME_REQUIRED', 'Send a name, as a string.')
    if (!input.isWellFormed() || input.includes('\u0000'))
      return refuse(context, 'ASSET_NAME_REQUIRED', 'A name may hold no NUL and no half of a surrogate pair.')
    const name = input.normalize('NFC').trim()
    if (name === '') return refuse(context, 'ASSET_NAME_REQUIRED', 'A name may not be empty.')
    if ([...name].length > MAX_CODE_POINTS)
      return refuse(
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
    description: 'Stored in Unicode NFC and trimmed; unique among the owner’s assets that are not deleted',
    example: 'Castle',
  })
