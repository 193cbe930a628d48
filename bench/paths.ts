import type { Tree } from './tree.ts'

/** The shapes of answers, each of which the floor makes in its own way. */
export type Shape =
  | 'token'
  | 'list'
  | 'item'
  | 'created'
  | 'changed'
  | 'upload'
  | 'content'
  | 'download'
  | 'downloads'
  | 'asset downloads'
  | 'assets'
  | 'asset'
  | 'branch'
  | 'asset upload'

/** A request that is frequent enough to measure. */
export interface HotPath {
  title: string
  shape: Shape
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  /** The bodies that are sent in turn, as JSON; none for a GET. */
  bodies: Record<string, unknown>[]
  /** The body in place of `bodies`, which is stored as it is. */
  content?: string
  /** Whether each body is sent with a new name, because names have to be unique. */
  isNamedAnew: boolean
  /** The Worker that serves the path. The probe is the service with a further route that does nothing. */
  by: 'service' | 'probe'
}

/** The number of different bodies, so that no request repeats the one before. */
const VARIANTS = 16

/** A body of a path as it is sent. */
export function sentBody(path: Pick<HotPath, 'bodies' | 'isNamedAnew' | 'content'>, variant: number) {
  const body = path.content === undefined ? bodyOf(path, variant) : undefined
  return path.content ?? (body && JSON.stringify(body))
}

/** The members of a body; undefined for a request without JSON. */
export function bodyOf(
  { bodies, isNamedAnew }: Pick<HotPath, 'bodies' | 'isNamedAnew'>,
  variant: number,
): Record<string, unknown> | undefined {
  const body = bodies[variant]
  return body && isNamedAnew ? { ...body, name: crypto.randomUUID() } : body
}

/** The hot paths that exist today (docs/performance.md#what-each-request-costs). */
export function hotPaths({ folder, item, inbox, page, asset, own_asset, page_of_assets }: Tree): HotPath[] {
  const get = (title: string, shape: Shape, path: string): HotPath => ({
    title,
    shape,
    method: 'GET',
    path,
    bodies: [],
    isNamedAnew: false,
    by: 'service',
  })
  const write = (
    title: string,
    shape: Shape,
    request: `${'POST' | 'PATCH'} ${string}`,
    body: Record<string, unknown>,
  ): HotPath => {
    const [verb, path = ''] = request.split(' ')
    const method = verb === 'PATCH' ? 'PATCH' : 'POST'
    const bodies = Array.from({ length: VARIANTS }, (_, i) => ({ ...body, name: `Level ${i}.txt` }))
    return { title, shape, method, path, bodies, isNamedAnew: false, by: 'service' }
  }
  const many = (title: string, shape: Shape, path: string, body: Record<string, unknown>): HotPath => ({
    ...get(title, shape, path),
    method: 'POST',
    bodies: Array.from({ length: VARIANTS }, () => body),
  })
  return [
    { ...get('token check alone', 'token', '/v1/token'), by: 'probe' },
    get('list files, 100 of 10,000, ten levels down', 'list', `/v1/files?parent_id=${folder}`),
    get('list files, root level, 5 items', 'list', '/v1/files'),
    get('get a file with 10 ancestors', 'item', `/v1/files/${item}`),
    write('create a folder, ten levels down', 'created', 'POST /v1/files', {
      asset_type: 'folder',
      parent_id: inbox,
    }),
    write('rename a file, ten levels down', 'changed', `PATCH /v1/files/${item}`, {}),
    write('start an upload, ten levels down', 'upload', 'POST /v1/uploads', {
      upload_type: 'file',
      parent_id: inbox,
      size_bytes: 1_024,
      mime_type: 'application/octet-stream',
    }),
    {
      ...write('store 64 KiB in one request, ten levels down', 'content', 'POST /v1/files/content', {}),
      path: `/v1/files/content?name=Level.txt&parent_id=${inbox}`,
      bodies: [],
      content: 'x'.repeat(64 * 1_024),
    },
    get('download URL, ten levels down', 'download', `/v1/files/${item}/url`),
    many('URLs of 100 files, ten levels down', 'downloads', '/v1/files/urls', { ids: page }),
    get('list own assets, 50 of 10,000', 'assets', '/v1/game/assets'),
    get('get an asset with its ten newest versions', 'asset', `/v1/game/assets/${asset}`),
    many('URLs of 100 assets', 'asset downloads', '/v1/game/urls', {
      items: page_of_assets.map((asset_id) => ({ asset_id })),
    }),
    get('browse public assets, 50 of 10,000', 'assets', '/v1/game/public'),
    get('search public assets, 50 of 1,000 found', 'assets', '/v1/game/public?q=astle'),
    {
      ...write('branch an asset', 'branch', `POST /v1/game/assets/${own_asset}/branch`, {}),
      isNamedAnew: true,
    },
    write('start an upload of a new asset', 'asset upload', 'POST /v1/uploads', {
      upload_type: 'game_asset',
      asset_type: 'world',
      size_bytes: 1_024,
      mime_type: 'application/octet-stream',
    }),
  ]
}
