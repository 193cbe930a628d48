import { contentDisposition } from './content-disposition.ts'

/**
 * The metadata of an object that a request made the content of a file. `file` is the file's id: no row of `uploads` leads
 * from such an object to its file. The objects of uploads have `upload` in its place, which their URLs require.
 */
export function contentMetadata(file_id: string, mime_type: string, name?: string) {
  return metadata(mime_type, { file: file_id }, name)
}

/** The metadata of an object that a request made the preview of an asset: `asset` leads from the object to the asset. */
export function previewMetadata(asset_id: string, mime_type: string) {
  return metadata(mime_type, { asset: asset_id })
}

function metadata<Of extends Record<string, string>>(mime_type: string, customMetadata: Of, name?: string) {
  return {
    httpMetadata: { contentType: mime_type, contentDisposition: contentDisposition(name, mime_type) },
    customMetadata,
  }
}
