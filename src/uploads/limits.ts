import type { CreateUpload } from './schema.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** R2 takes at most this much in one PUT. */
const LARGEST_PUT = 5 * GIB - 5 * MIB

/** The largest content of each type, in bytes (decisions, "Uploads"). */
export const largest: Record<CreateUpload['asset_type'], number> = {
  file: LARGEST_PUT,
  chat_attachment: LARGEST_PUT,
  profile_pic: 10 * MIB,
  emote: MIB,
}

/** The types of content that are pictures, shown by every client: these formats only, and checked. */
export const pictureFormats: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Whether content of this type has to be a picture. */
export function isPicture(asset_type: string): boolean {
  return asset_type === 'profile_pic' || asset_type === 'emote'
}
