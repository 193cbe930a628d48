import { type Dataset, get, type Operation, type Place, send, whole } from './growth-operation.ts'
import { idOf, idSql, insertNumbered, openAccount } from './planting.ts'

/** The kinds of a user's numbered rows, which are a part of their ids. */
const [FULL, ROOT, TRASHED, SHARED, SHARE, PLACE] = [1, 2, 3, 4, 5, 6]

/** The numbers of the folders of kind `PLACE`: `full` is in `top`, and `inside` in `beside`. */
const [top, full, beside, inside] = [1, 2, 3, 4]
const place = (number: number, { user }: Place) => idOf(number, user, PLACE)

const columns = `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
  object_key, created_at, updated_at, trashed_at)`
const types = `CASE i % 5 WHEN 0 THEN 'folder' WHEN 1 THEN 'profile_pic' WHEN 2 THEN 'emote' WHEN 3 THEN 'chat_attachment' ELSE 'file' END`

/** SQL that inserts items of all types, one in five a folder, in the order of every index: a million takes seconds. */
function items(owner: string, kind: number, parent: string | null, trashed_at = 'NULL'): string {
  const content = (value: string) => `iif(i % 5 = 0, NULL, ${value})`
  return `${columns} SELECT ${idSql('i', owner, kind)}, '${owner}', ${parent ? `'${parent}'` : 'NULL'},
    printf('item %07d', i), ${types}, iif(i % 5 = 0, 0, i), ${content(`'text/plain'`)},
    ${content(`'ready'`)}, ${content(idSql('i', owner, kind + 16))}, 1700000000 + i / 3, 1700000000, ${trashed_at} FROM n`
}

/** The number of a file (not a folder) in the middle of `size` items. */
const middleOf = (size: number) => size / 2 + 1

/** Lists of files, operations on an item among many, and operations on a folder of many. */
export const tree: Dataset = {
  name: 'files',
  async prepare({ user, home, owners, databases }) {
    await openAccount(home, user)
    const folder = (number: number, parent: string) =>
      `${columns} SELECT ${idSql(String(number), user, PLACE)}, '${user}', ${parent}, 'folder ${number}', 'folder', 0, NULL, NULL, NULL, 1, 1, NULL`
    await home.prepare(folder(top, 'NULL')).run()
    await home.prepare(folder(full, idSql(String(top), user, PLACE))).run()
    await home.prepare(folder(beside, 'NULL')).run()
    await home.prepare(folder(inside, idSql(String(beside), user, PLACE))).run()
    for (const [index, owner] of owners.entries()) {
      const database = databases[index]
      if (!database) continue
      await openAccount(database, owner)
      if (owners.length > 1)
        await home
          .prepare(
            'INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at) VALUES (?1, ?2, ?3, 1)',
          )
          .bind(idOf(0, user).slice(20, 23), user, idOf(0, owner).slice(20, 23))
          .run()
    }
  },
  async seed(at, range) {
    const { user, home, owners, databases } = at
    await insertNumbered(home, range, items(user, FULL, place(full, at)))
    await insertNumbered(home, range, items(user, ROOT, null))
    await insertNumbered(home, range, items(user, TRASHED, null, '1700000000000 + i'))
    for (const [index, owner] of owners.entries()) {
      const database = databases[index]
      if (!database) continue
      const part = { from: range.from / owners.length, to: range.to / owners.length }
      const share = `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at)
        SELECT ${idSql('i', owner, SHARE)}, ${idSql('i', owner, SHARED)}, '${owner}', '${user}', 'view', 1700000000 FROM n`
      await insertNumbered(database, whole(part), items(owner, SHARED, null))
      await insertNumbered(database, whole(part), share)
    }
  },
  operations(at, size) {
    const { user } = at
    const [folder, item] = [place(full, at), idOf(middleOf(size), user, FULL)]
    const inFolder = `/v1/files?parent_id=${folder}&limit=50`
    const trash = send('DELETE', `/v1/files/${folder}`)
    const restore = send('POST', `/v1/trash/${folder}/restore`)
    const intoPlace = (number: number) =>
      send('PATCH', `/v1/files/${folder}`, { parent_id: place(number, at) })
    const list = (title: string, path: string): Operation => ({ group: 'lists', title, ask: () => get(path) })
    const one = (title: string, ask: Operation['ask'], more: Partial<Operation> = {}): Operation => ({
      group: 'items',
      title,
      ask,
      ...more,
    })
    return [
      list('a folder by name', inFolder),
      {
        ...list('from its middle on', inFolder),
        cursor: [`item ${String(size / 2).padStart(7, '0')}`, idOf(size / 2, user, FULL)],
      },
      list('one type, by size', `${inFolder}&asset_type=emote&sort=size_bytes`),
      list('the root level, by time', '/v1/files?sort=created_at&limit=50'),
      list('the trash', '/v1/trash?limit=50'),
      list('shared with me', '/v1/shares?limit=50'),
      one('get an item of the folder', () => get(`/v1/files/${item}`)),
      one('download URL of it', () => get(`/v1/files/${item}/url`)),
      one('rename it', (i) => send('PATCH', `/v1/files/${item}`, { name: `name ${i}` })),
      one('create a folder in it', (i) =>
        send('POST', '/v1/files', { asset_type: 'folder', name: `new ${size} ${i}`, parent_id: folder }),
      ),
      one('start an upload to it', (i) =>
        send('POST', '/v1/uploads', {
          upload_type: 'file',
          name: `sent ${size} ${i}`,
          parent_id: folder,
          size_bytes: 1_024,
          mime_type: 'text/plain',
        }),
      ),
      one('delete the whole folder', () => trash, { after: restore }),
      one('restore it', () => restore, { before: [trash] }),
      one('move it to another folder', () => intoPlace(beside), { after: intoPlace(top) }),
      one('move it one level deeper', () => intoPlace(inside), {
        after: intoPlace(top),
        times: 5,
        refusal: 409,
      }),
    ]
  },
}
