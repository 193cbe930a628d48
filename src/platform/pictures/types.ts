/** The MIME types of pictures that every client shows. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type PictureType = (typeof pictureTypes)[number]

/** The MIME types of the previews of assets. */
export const previewTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
