import { catalogue } from './growth-catalogue.ts'
import { tree } from './growth-files.ts'
import { type Answered, type Asked, type Dataset, get, type Operation, send } from './growth-operation.ts'
import type { Seeding } from './growth-worker.ts'
import { idOf, idSql, insertNumbered, openAccount } from './planting.ts'

const versions: Dataset = {
  name: 'versions',
  async prepare({ user, home }) {
    await openAccount(home, user)
    await home
      .prepare(
        `INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
        VALUES (${idSql('0', user)}, ?1, 'world', 'castle', 'castle', 'public', 1, 1)`,
      )
      .bind(user)
      .run()
  },
  async seed({ user, home }, { from, to }) {
    // Numbered after the versions that the requests at the previous size have created.
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

/** One inbox. Its costs do not depend on the number of databases. */
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

export const datasets: readonly Dataset[] = [tree, catalogue, versions, inbox]
