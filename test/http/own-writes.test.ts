import { afterAll, describe, expect, it, vi } from 'vitest'
import { Creator, signUpCreator } from '../support/creator.ts'
import { png } from '../support/pictures.ts'
import { LAG_MS, replicated } from '../support/replicas.ts'
import { signUp } from '../support/user.ts'

afterAll(() => vi.useRealTimers())

const { clock, deviceIn, timeOf } = await replicated()

/** A user with a device in Sydney. The databases are in Frankfurt, with a replica in Sydney. */
async function player() {
  const device = deviceIn('Sydney')
  return { ada: await signUpCreator('ada', device.fetch), device }
}

/** The same user on another device. */
function onAnother({ id, token }: Creator) {
  return new Creator(id, token, deviceIn('Sydney').fetch)
}

interface Act {
  write: () => Promise<unknown>
  read: () => Promise<unknown>
  /** What the read answers after the write. */
  seen: unknown
}

/** What a player changes, and the read that shows it. Each begins with what there is before. */
const acts: Record<string, (ada: Creator) => Promise<Act>> = {
  'a folder that it has made': async (ada) => ({
    write: () => ada.folder('new'),
    read: () => ada.names(),
    seen: ['new'],
  }),
  'a new name': async (ada) => {
    const item = await ada.folder('old')
    return {
      write: () => ada.change(item, { name: 'new' }),
      read: async () => (await ada.read(item)).file.name,
      seen: 'new',
    }
  },
  'an item that it has moved': async (ada) => {
    const [item, into] = [await ada.folder('item'), await ada.folder('into')]
    return {
      write: () => ada.move(item, { into }),
      read: async () => [await ada.names(), await ada.names({ parent_id: into.id })],
      seen: [['into'], ['item']],
    }
  },
  'an item that it has deleted': async (ada) => {
    const item = await ada.folder('item')
    return {
      write: () => ada.delete(item),
      read: async () => [await ada.names(), await ada.trashed()],
      seen: [[], ['item']],
    }
  },
  'an item that it has restored': async (ada) => {
    const item = await ada.folder('item')
    await ada.delete(item)
    return {
      write: () => ada.restore(item),
      read: async () => [await ada.names(), await ada.trashed()],
      seen: [['item'], []],
    }
  },
  'content that it has replaced': async (ada) => {
    const file = await ada.content('file', 'old')
    return {
      write: () => ada.replaceContent(file, 'new'),
      read: async () => (await ada.readContent(file)).text,
      seen: 'new',
    }
  },
  'a file that it has uploaded': async (ada) => ({
    write: () => ada.file('file', 'content'),
    read: async () => [await ada.names(), (await ada.quota()).used_bytes],
    seen: [['file'], 7],
  }),
  'an upload that it has aborted': async (ada) => {
    const upload = await ada.upload({ size_bytes: 3 })
    return {
      write: () => ada.abort(upload),
      read: async () => (await ada.get(`/uploads/${upload.id}`)).status,
      seen: 404,
    }
  },
  'a share that it has revoked': async (ada) => {
    const file = await ada.content('file', 'content')
    const share = await ada.share(file, await signUp('bob'))
    return {
      write: () => ada.revoke(share),
      read: async () => (await ada.get(`/files/${file.id}/shares`)).body,
      seen: [],
    }
  },
  'a picture that it has chosen': async (ada) => {
    const picture = await ada.picture()
    return {
      write: () => ada.choose(picture),
      read: () => ada.profiles(ada),
      seen: [expect.objectContaining({ picture_url: expect.stringContaining(picture.id) })],
    }
  },
  'an asset that it has made': async (ada) => ({
    write: () => ada.emptyAsset('new'),
    read: () => ada.assetNames('/assets'),
    seen: ['new'],
  }),
  'a version of an asset': async (ada) => {
    const asset = await ada.asset('asset')
    return { write: () => ada.version(asset), read: () => ada.versions(asset), seen: [2, 1] }
  },
  'a preview of an asset': async (ada) => {
    const asset = await ada.asset('asset')
    return {
      write: () => ada.previewed(asset, png),
      read: () => ada.previewUrl(asset),
      seen: expect.any(String),
    }
  },
  'a favorite': async (ada) => {
    const asset = await ada.asset('asset', { visibility: 'public' })
    return {
      write: () => ada.favor(asset),
      read: async () => (await ada.get('/game/favorites')).body,
      seen: expect.objectContaining({ assets: [expect.objectContaining({ id: asset.id })] }),
    }
  },
  'an asset that it has deleted': async (ada) => {
    const asset = await ada.asset('asset')
    return { write: () => ada.deleteAsset(asset), read: () => ada.assetNames('/assets'), seen: [] }
  },
}

/** Pauses between write and read: at once, while the replica lacks the write, and long after. */
const PAUSES_MS = [0, LAG_MS / 2, LAG_MS * 4]

describe.each(Object.entries(acts))('a device far from the primary sees %s', (_, begin) => {
  it.each(PAUSES_MS)('%i ms after the write', async (pause_ms) => {
    const { write, read, seen } = await begin((await player()).ada)
    await clock.wait(LAG_MS * 4)
    expect(await read()).not.toEqual(seen)
    await write()
    await clock.wait(pause_ms)
    expect(await read()).toEqual(seen)
  })
})

it('answers a read from the replica nearby, once it has what the device has written', async () => {
  const { ada } = await player()
  const { id } = await ada.folder('a')
  await clock.wait(LAG_MS * 4)
  expect(await timeOf(() => ada.read(id))).toBeCloseTo(8.9)
})

it('shows another device of the user the old rows until the replica has the write', async () => {
  const { ada } = await player()
  const { id } = await ada.folder('old')
  const other = onAnother(ada)
  await other.read(id)
  await clock.wait(LAG_MS * 4)
  await ada.change(id, { name: 'new' })
  expect((await other.read(id)).file.name).toBe('old')
  await clock.wait(LAG_MS)
  expect((await other.read(id)).file.name).toBe('new')
})

it('shows the newest rows to a device that sends no bookmark', async () => {
  const { ada, device } = await player()
  const { id } = await ada.folder('old')
  await onAnother(ada).change(id, { name: 'new' })
  device.forgetBookmark()
  expect((await ada.read(id)).file.name).toBe('new')
})

it('shows a device its writes after it has been taken to another continent', async () => {
  const { ada, device } = await player()
  device.city = 'Frankfurt'
  const { id } = await ada.folder('old')
  await ada.change(id, { name: 'new' })
  device.city = 'Sydney'
  expect((await ada.read(id)).file.name).toBe('new')
})
