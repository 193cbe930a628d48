import { ihdr, jpegOf, pngOf, webp } from '../../support/pictures.ts'
import { type Act, agrees, type Command, type Requests, refused, refusedForWantOf, room } from './act.ts'
import { assetRecord, changedAsset, ownAsset } from './asset-record.ts'
import { anAsset } from './choose.ts'
import { bytes, keyAtOnce, picture } from './content.ts'
import { previewBytes } from './counting.ts'
import { drawIfMatch, expectEtag, ifMatch, isMatch } from './etags.ts'
import { changedAt } from './state.ts'

const text = (bytes: Uint8Array) => String.fromCharCode(...bytes)

/** The size in pixels of a picture of one pixel, whatever follows its end. */
const pixel = { preview_width: 1, preview_height: 1 }

/** Previews of three lengths, and the size of each in pixels. */
const sizes = new Map([
  [text(webp), pixel],
  [text(pngOf(ihdr(3, 2))), { preview_width: 3, preview_height: 2 }],
  [
    text(jpegOf(4, 9, [0xff, 0xfe, 0, 99, ...new Array(97).fill(0)])),
    { preview_width: 4, preview_height: 9 },
  ],
])
const [small = picture, medium = picture, large = picture] = sizes.keys()

export const setPreview: Command = {
  operation: 'setPreview',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw)
    const content = draw.one(small, small, medium, large, picture) ?? picture
    return setsPreview(user, id, content, drawIfMatch(world, id, draw))
  },
}

export function setsPreview(user: string, id: string, content: string, header?: string): Act<Requests> {
  const headers = ifMatch(header)
  return {
    says: `${user} gives ${id} a preview of ${content.length} bytes (${header})`,
    send: (service) =>
      service.request(user, 'PUT', `/game/assets/${id}/preview`, { body: bytes(content), headers }),
    judge: (world, answer) => {
      if (content === picture) return refused(answer, 'UPLOAD_MISMATCH')
      const asset = ownAsset(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      if (!isMatch(asset, header)) return refused(answer, 'PRECONDITION_FAILED')
      const more = content.length - previewBytes(world, asset)
      if (more > 0 && refusedForWantOf(room(world, user, { bytes: more }), answer)) return
      Object.assign(asset, {
        preview: keyAtOnce(world, content),
        ...(sizes.get(content) ?? pixel),
        updated_at: changedAt(world, asset),
      })
      changedAsset(asset)
      agrees(answer, 200, assetRecord(asset))
      expectEtag(asset, answer)
    },
  }
}

export const deletePreview: Command = {
  operation: 'deletePreview',
  writes: true,
  draw: (world, draw) => {
    const any = draw.chance(20)
    const { user, id } = anAsset(
      world,
      draw,
      ({ preview, deleted_at }) => any || (preview !== null && deleted_at === null),
    )
    return deletesPreview(user, id, drawIfMatch(world, id, draw))
  },
}

export function deletesPreview(user: string, id: string, header?: string): Act<Requests> {
  const headers = ifMatch(header)
  return {
    says: `${user} takes the preview of ${id} away (${header})`,
    send: (service) => service.request(user, 'DELETE', `/game/assets/${id}/preview`, { headers }),
    judge: (world, answer) => {
      const asset = ownAsset(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      if (!isMatch(asset, header)) return refused(answer, 'PRECONDITION_FAILED')
      if (asset.preview !== null) {
        const none = { preview: null, preview_width: null, preview_height: null }
        Object.assign(asset, { ...none, updated_at: changedAt(world, asset) })
        changedAsset(asset)
      }
      agrees(answer, 204)
    },
  }
}
