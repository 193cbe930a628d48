import { expect } from 'vitest'
import type { ErrorCode } from '../../../src/platform/errors.ts'
import {
  type Act,
  agrees,
  type Command,
  creates,
  type Draw,
  drawKey,
  keyHeader,
  lost,
  member,
  newIdIn,
  type Requests,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import { aName, anItem, aPlace, aPlayer, isLive } from './choose.ts'
import { bytes, CHECKED_TYPE, contentOf, keyAtOnce, sizes } from './content.ts'
import { isPictureType } from './declaring.ts'
import { drawIfMatch, expectEtag, ifMatch, isMatch } from './etags.ts'
import type { Item } from './files.ts'
import { newItem } from './files.ts'
import { fileRecord } from './records.ts'
import { changedAt } from './state.ts'
import { changed, entryRefusal, ownLive, shown, sight } from './tree.ts'

/** Content that is sent in one request. */
interface Sent {
  content: string
  mime_type: string
}

function drawSent(draw: Draw): Sent {
  const [size, isOther, isChecked] = [draw.of(sizes) ?? 0, draw.chance(50), draw.chance(15)]
  return { content: contentOf(size, isOther ? 'y' : 'x'), mime_type: isChecked ? CHECKED_TYPE : 'text/plain' }
}

export const createContent: Command = {
  operation: 'createContent',
  writes: true,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const parent_id = aPlace(world, user, draw)
    const [name, key, sent] = [aName(draw), drawKey(draw), drawSent(draw)]
    return createsContent(user, name, parent_id, sent, key)
  },
}

export function createsContent(
  user: string,
  name: string,
  parent_id: string | null,
  sent: Sent,
  key?: string,
): Act<Requests> {
  const { content, mime_type } = sent
  const size_bytes = content.length
  const query = new URLSearchParams({ name, ...(parent_id !== null && { parent_id }) })
  const headers = { 'Content-Type': mime_type, ...keyHeader(key) }
  return {
    key,
    says: `${user} creates ${name} in ${parent_id} with ${JSON.stringify(sent)} (${key})`,
    send: (service) =>
      service.request(user, 'POST', `/files/content?${query}`, { body: bytes(content), headers }),
    judge: (world, answer) => {
      if (mime_type === CHECKED_TYPE) return refused(answer, 'UPLOAD_REQUIRED')
      creates(world, answer, {
        caller: user,
        key,
        request: ['createContent', name, parent_id, sent],
        again: (made) => {
          const file = ownLive(world, user, made)
          if (file) agrees(answer, 201, fileRecord(shown(world, file)))
          else refused(answer, 'FILE_NOT_FOUND')
        },
        make: () => {
          const refusal = entryRefusal(world, user, parent_id)
          if (refusal) refused(answer, refusal)
          const more = { items: 1, bytes: size_bytes }
          if (refusal || refusedForWantOf(room(world, user, more), answer)) return undefined
          const id = newIdIn(world, member(answer, 'id'))
          const file = newItem(world, {
            id,
            owner_id: user,
            name,
            parent_id,
            asset_type: 'file',
            size_bytes,
            mime_type,
            processing_state: 'ready',
            content: keyAtOnce(world, content),
          })
          agrees(answer, 201, fileRecord(shown(world, file)))
          return file.id
        },
      })
    },
  }
}

export const replaceContent: Command = {
  operation: 'replaceContent',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anItem(world, draw, isLive)
    const header = drawIfMatch(world, id, draw)
    return replacesContent(user, id, drawSent(draw), header)
  },
}

export function replacesContent(user: string, id: string, sent: Sent, header?: string): Act<Requests> {
  const { content, mime_type } = sent
  const headers = { 'Content-Type': mime_type, ...ifMatch(header) }
  return {
    says: `${user} replaces the content of ${id} by ${JSON.stringify(sent)} (${header})`,
    send: (service) =>
      service.request(user, 'PUT', `/files/${id}/content`, { body: bytes(content), headers }),
    judge: (world, answer) => {
      const file = ownLive(world, user, id)
      if (!file) return refused(answer, 'FILE_NOT_FOUND')
      const refusal = isMatch(file, header) ? replacementRefusal(file, sent) : 'PRECONDITION_FAILED'
      if (refusal) return refused(answer, refusal)
      const before = file.processing_state === 'ready' ? file.size_bytes : 0
      const more = content.length - before
      if (more > 0 && refusedForWantOf(room(world, user, { bytes: more }), answer)) return
      Object.assign(file, {
        size_bytes: content.length,
        mime_type,
        content: keyAtOnce(world, content),
        processing_state: 'ready',
        updated_at: changedAt(world, file),
      })
      changed(file)
      agrees(answer, 200, fileRecord(shown(world, file)))
      expectEtag(file, answer)
    },
  }
}

/** Why a text can't be the content of the file. */
function replacementRefusal(
  { asset_type, processing_state }: Item,
  { mime_type }: Sent,
): ErrorCode | undefined {
  if (asset_type === 'folder') return 'FILE_IS_FOLDER'
  if (isPictureType(asset_type)) return 'VALIDATION_FAILED'
  if (mime_type === CHECKED_TYPE) return 'UPLOAD_REQUIRED'
  const isAwaited = processing_state === 'pending' || processing_state === 'processing'
  return isAwaited ? 'FILE_NOT_READY' : undefined
}

export const getContent: Command = {
  operation: 'getContent',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anItem(world, draw)
    return readsContent(draw.chance(30) ? aPlayer(world, draw) : user, id)
  },
}

function readsContent(user: string, id: string): Act<Requests> {
  return {
    says: `${user} reads the content of ${id}`,
    send: (service) => service.request(user, 'GET', `/files/${id}/content`),
    judge: (world, answer) => {
      const item = sight(world, user, id)?.item
      if (!item) return refused(answer, 'FILE_NOT_FOUND')
      if (item.asset_type === 'folder') return refused(answer, 'FILE_IS_FOLDER')
      if (item.processing_state !== 'ready') return refused(answer, 'FILE_NOT_READY')
      agrees(answer, 200)
      expectEtag(item, answer)
      // The bytes of a picture are no text.
      if (answer === lost || isPictureType(item.asset_type)) return
      expect(answer.text, 'the content').toBe(world.objects.get(item.content ?? ''))
    },
  }
}
