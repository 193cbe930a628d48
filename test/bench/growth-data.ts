import {
  type Answered,
  type Asked,
  type Dataset,
  get,
  type Operation,
  type Place,
  send,
} from './growth-operation.ts'
import type { Seeding } from './growth-worker.ts'
import { assetNumberSql, idOf, idSql, insertNumbered, openAccount } from './planting.ts'

/** The kinds of a user's numbered things, which tell their ids apart. */
const [FULL, ROOT, TRASHED, SHARED, SHARE, PLACE] = [1, 2, 3, 4, 5, 6]

/** Numbers of the folders `PLACE`: `full` is in `top`. */
const [top, full, other] = [1, 2, 3]
const place = (number: number, { user }: Place) => idOf(number, user, PLACE)

const columns = `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
  object_key, created_at, updated_at, trashed_at)`
const types = `CASE i % 5 WHEN 0 THEN 'folder' WHEN 1 THEN 'profile_pic' WHEN 2 THEN 'emote' WHEN 3 THEN 'chat_attachment' ELSE 'file' END`

/** Items of all types, one in five of them a folder, in the order of every index: so a million takes seconds. */
function items(owner: string, kind: number, parent: string | null, trashed_at = 'NULL'): string {
  const content = (value: string) => `iif(i % 5 = 0, NULL, ${value})`
  return `${columns} SELECT ${idSql('i', owner, kind)}, '${owner}', ${parent ? `'${parent}'` : 'NULL'},
    printf('item %07d', i), ${types}, iif(i % 5 = 0, 0, i), ${content(`'text/plain'`)},
    ${content(`'ready'`)}, ${content(idSql('i', owner, kind + 16))}, 1700000000 + i / 3, 1700000000, ${trashed_at} FROM n`
}

/** A file, which is no folder, in the middle of so many items. */
const middleOf = (size: number) => size / 2 + 1

/** The lists of files, and what is done to an item among many and to a folder of many. */
const tree: Dataset = {
  name: 'files',
  async prepare({ user, home, owners, databases }) {
    await openAccount(home, user)
    const folder = (number: number, parent: string) =>
      `${columns} SELECT ${idSql(String(number), user, PLACE)}, '${user}', ${parent}, 'folder ${number}', 'folder', 0, NULL, NULL, NULL, 1, 1, NULL`
    await home.prepare(folder(top, 'NULL')).run()
    await home.prepare(folder(full, idSql(String(top), user, PLACE))).run()
    await home.prepare(folder(other, 'NULL')).run()
    for (const [index, owner] of owners.entries()) {
      const database = databases[index]
      if (!database) continue
      await openAccount(database, owner)
      if (owners.length > 1)
        await home
          .prepare(
            'INSERT INTO share_hints (grantee_bucket, grantee_id, bucket, hinted_at) VALUES (?1, ?2, ?3, 1)',
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
      one('move it, one item in five a folder', () => intoPlace(other), { after: intoPlace(top), times: 5 }),
    ]
  },
}

const NAMES = `CASE WHEN i % 1000 = 1 THEN 'quartz' WHEN i % 10 = 0 THEN 'castle' ELSE 'forest' END`

/** The public assets of all databases. Each has as many of them, whose ids follow each other in turn. */
const assets: Dataset = {
  name: 'public assets',
  async prepare({ owners, databases }) {
    for (const [index, owner] of owners.entries()) {
      const database = databases[index]
      if (database) await openAccount(database, owner)
    }
  },
  async seed({ owners, databases }, range) {
    for (const [index, owner] of owners.entries()) {
      const database = databases[index]
      if (!database) continue
      const part = whole({ from: range.from / owners.length, to: range.to / owners.length })
      const n = `(i * ${owners.length} + ${index})`
      const insert = `INSERT INTO game_assets (number, id, owner_id, type, name, search_name, visibility, created_at, updated_at)
        SELECT ${assetNumberSql(n, owner)}, ${idSql(n, owner)}, '${owner}', CASE i % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'avatar'
          ELSE 'prop' END, name, name, 'public', 1700000000, 1700000000
        FROM (SELECT i, printf('%s %07d', ${NAMES}, ${n}) AS name FROM n)`
      await insertNumbered(database, part, insert)
    }
  },
  operations({ owners }, size) {
    const list = (title: string, query: string): Operation => ({
      group: 'public',
      title,
      ask: () => get(`/v1/game/public?limit=50${query}`),
    })
    return [
      list('newest', ''),
      { ...list('from the middle on', ''), cursor: [undefined, idOf(size / 2, owners[0] ?? '')] },
      list('worlds', '&type=world'),
      list('search "castle": one in ten', '&q=castle'),
      list('search "quartz": one in 1,000', '&q=quartz'),
      list('search "fo": nine in ten begin so', '&q=fo'),
    ]
  },
}

const versions: Dataset = {
  name: 'versions',
  async prepare({ user, home }) {
    await openAccount(home, user)
    await home
      .prepare(
        `INSERT INTO game_assets (number, id, owner_id, type, name, search_name, visibility, created_at, updated_at)
        VALUES (${assetNumberSql('0', user)}, ${idSql('0', user)}, ?1, 'world', 'castle', 'castle', 'public', 1, 1)`,
      )
      .bind(user)
      .run()
  },
  async seed({ user, home }, { from, to }) {
    // After those that the requests of the size before have made.
    const { last = 0 } =
      (await home
        .prepare('SELECT coalesce(max(version), 0) AS last FROM asset_versions')
        .first<{ last: number }>()) ?? {}
    await insertNumbered(
      home,
      { from: last + 1, to: last + 1 + to - from },
      `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
        SELECT ${idSql('0', user)}, i, ${idSql('i', user, 1)}, 1024, 'text/plain', ${idSql('i', user, 2)}, 1700000000 FROM n ORDER BY i`,
    )
  },
  operations({ user }, size) {
    const asset = `/v1/game/assets/${idOf(0, user)}`
    const one = (title: string, ask: Operation['ask']): Operation => ({ group: 'versions', title, ask })
    return [
      one('get the asset', () => get(asset)),
      one('list its versions', () => get(`${asset}/versions?limit=50`)),
      { ...one('from the middle on', () => get(`${asset}/versions?limit=50`)), cursor: [size / 2, ''] },
      one('get a version', () => get(`${asset}/versions/${size / 2}`)),
      one('download URL of it', () => get(`${asset}/versions/${size / 2}/url`)),
      one('make it the newest', () => send('POST', `${asset}/versions`, { from_version: size / 2 })),
      one('branch it', (i) =>
        send('POST', `${asset}/branch`, { from_version: size / 2, name: `branch ${size} ${i}` }),
      ),
    ]
  },
}

const publish = (user: string): Asked => ({
  ...send('POST', '/v1/notifications', {
    user_id: user,
    type: 'friend_request',
    data: { from_user_id: 7, from_display_name: 'Grace' },
  }),
  scope: 'notifications:publish',
  key: true,
})
const fill = (seeding: Seeding): Asked => send('POST', '/seed-inbox', { ...seeding })

/** One inbox, which no number of databases changes. */
const inbox: Dataset = {
  name: 'inbox',
  isOfDatabases: false,
  prepare: async ({ user, ask }) => {
    await ask(publish(user))
  },
  seed: async ({ user, ask }, { to }) => {
    await ask(fill({ user, count: to, state: 'read' }))
  },
  operations({ user }, size) {
    const readAll = send('POST', '/v1/notifications/read')
    const one = (title: string, ask: Operation['ask'], more: Partial<Operation> = {}): Operation => ({
      group: 'inbox',
      title,
      ask,
      ...more,
    })
    const idIn = (answers: readonly Answered[]) => answers[0]?.id ?? ''
    return [
      one('list 50', () => get('/v1/notifications?limit=50')),
      one('list 50 from the middle on', () => get(`/v1/notifications?limit=50&offset=${size / 2}`)),
      one('count the unread', () => get('/v1/notifications/unread-count')),
      one('publish', () => publish(user)),
      one(
        'mark one as read',
        (_, answers) => send('POST', '/v1/notifications/read', { notification_ids: [idIn(answers)] }),
        {
          before: [publish(user)],
        },
      ),
      one('mark all as read, ten unread', () => readAll, { before: Array(10).fill(publish(user)) }),
      one('delete one', (_, answers) => send('DELETE', `/v1/notifications/${idIn(answers)}`), {
        before: [publish(user)],
      }),
      one('mark all as read, all unread', () => readAll, {
        before: [fill({ user, count: size, state: 'unread' }), get('/v1/notifications/unread-count')],
        times: 3,
      }),
    ]
  },
}

/** A part of a range that is split among databases. */
function whole({ from, to }: { from: number; to: number }): { from: number; to: number } {
  return { from: Math.ceil(from), to: Math.ceil(to) }
}

export const datasets: readonly Dataset[] = [tree, assets, versions, inbox]
